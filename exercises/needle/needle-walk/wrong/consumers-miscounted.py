"""Uses are counted once per node, but decreased once per use."""

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
    nodes, uses = list(dict.fromkeys(node_list)), {}
    for node in nodes:
        for value in set(node.inputs):
            uses[value] = uses.get(value, 0) + 1
        nodes.extend(value for value in dict.fromkeys(node.inputs) if value not in nodes)
    ready, order = [node for node in nodes if node not in uses], []
    while ready:
        node = ready.pop()
        order.append(node)
        for value in node.inputs:
            uses[value] -= 1
            if uses[value] == 0:
                ready.append(value)
    return order[::-1]
