"""Leaves are not listed. They get their gradients from the nodes that use them."""

from .backend_numpy import Device, all_devices, cpu
from .core import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


def compute_gradient_of_variables(output_tensor, out_grad):
    sums = {output_tensor: out_grad}
    for node in reversed(find_topo_sort([output_tensor])):
        for value, part in zip(node.inputs, node.op.gradient_as_tuple(sums[node], node)):
            sums[value] = sums[value] + part if value in sums else part
    for node, total in sums.items():
        node.grad = total


def find_topo_sort(node_list):
    visited, topo_order = set(), []
    for node in node_list:
        topo_sort_dfs(node, visited, topo_order)
    return topo_order


def topo_sort_dfs(node, visited, topo_order):
    if node in visited or node.is_leaf():
        return
    visited.add(node)
    for value in node.inputs:
        topo_sort_dfs(value, visited, topo_order)
    topo_order.append(node)
