"""Uses are counted once per use, but decreased once per node."""

from collections import Counter, deque

from .backend_numpy import Device, all_devices, cpu
from .core import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


def compute_gradient_of_variables(output_tensor, out_grad):
    received = {output_tensor: [out_grad]}
    for node in reversed(find_topo_sort([output_tensor])):
        total, *others = received[node]
        for part in others:
            total = total + part
        node.grad = total
        if not node.is_leaf():
            for value, part in zip(node.inputs, node.op.gradient_as_tuple(total, node)):
                received.setdefault(value, []).append(part)


def find_topo_sort(node_list):
    nodes = set()
    waiting = list(node_list)
    while waiting:
        node = waiting.pop()
        if node not in nodes:
            nodes.add(node)
            waiting += node.inputs
    uses = Counter(value for node in nodes for value in node.inputs)
    ready = deque(node for node in dict.fromkeys(node_list) if not uses[node])
    order = deque()
    while ready:
        node = ready.popleft()
        order.appendleft(node)
        for value in dict.fromkeys(node.inputs):
            uses[value] -= 1
            if not uses[value]:
                ready.append(value)
    return list(order)
