"""A node counts as visited only when it is listed, but the stack can hold it twice by then."""

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
    visited, topo_order = set(), []
    stack = [(node, False) for node in reversed(node_list)]
    while stack:
        node, done = stack.pop()
        if done:
            visited.add(node)
            topo_order.append(node)
        else:
            stack.append((node, True))
            stack.extend((value, False) for value in reversed(node.inputs) if value not in visited)
    return topo_order
