"""Each node waits until everything that uses it is listed. Newer nodes with no waiting uses come first."""

from collections import Counter, deque

from .backend_numpy import Device, all_devices, cpu
from .core import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


def compute_gradient_of_variables(output_tensor, out_grad):
    sums = {output_tensor: out_grad}
    for node in reversed(find_topo_sort([output_tensor])):
        node.grad = sums.pop(node)
        if node.requires_grad and node.inputs:
            for value, part in zip(node.inputs, node.op.gradient_as_tuple(node.grad, node), strict=True):
                sums[value] = part + sums[value] if value in sums else part


def find_topo_sort(node_list):
    nodes = dict.fromkeys(node_list)
    queue = deque(nodes)
    while queue:
        for value in queue.pop().inputs:
            if value not in nodes:
                nodes[value] = None
                queue.append(value)
    uses = Counter(value for node in nodes for value in node.inputs)
    ready = deque(node for node in nodes if not uses[node])
    order = []
    while ready:
        order.append(ready.popleft())
        for value in order[-1].inputs:
            uses[value] -= 1
            if not uses[value]:
                ready.append(value)
    return order[::-1]
