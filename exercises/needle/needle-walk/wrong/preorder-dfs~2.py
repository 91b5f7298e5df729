"""A stack instead of a recursion. A node is listed when it is taken from the stack."""

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
    stack, visited, topo_order = list(node_list), set(), []
    while stack:
        node = stack.pop()
        if node in visited:
            continue
        visited.add(node)
        topo_order.insert(0, node)
        stack.extend(node.inputs)
    return topo_order
