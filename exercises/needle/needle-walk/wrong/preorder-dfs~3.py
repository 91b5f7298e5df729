"""The last input is visited first. Nodes are still listed on entry."""

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
    topo_order = []
    visited = set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            topo_order.append(node)
            for value in reversed(node.inputs):
                visit(value)

    for node in node_list:
        visit(node)
    return list(reversed(topo_order))
