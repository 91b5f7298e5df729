"""The data of a gradient that exists already is replaced."""

from .backend_numpy import Device, all_devices, cpu
from .core import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


def compute_gradient_of_variables(output_tensor, out_grad):
    for node in find_topo_sort([output_tensor]):
        node.grad = None
    output_tensor.grad = out_grad
    for node in reversed(find_topo_sort([output_tensor])):
        if node.is_leaf():
            continue
        for value, part in zip(node.inputs, node.op.gradient_as_tuple(node.grad, node)):
            if value.grad is None:
                value.grad = part
            else:
                value.grad.data = value.grad + part


def find_topo_sort(node_list):
    visited, topo_order = set(), []
    for node in node_list:
        topo_sort_dfs(node, visited, topo_order)
    return topo_order


def topo_sort_dfs(node, visited, topo_order):
    if node in visited:
        return
    visited.add(node)
    for value in node.inputs:
        topo_sort_dfs(value, visited, topo_order)
    topo_order.append(node)
