"""Contributions are collected as arrays."""

from .backend_numpy import Device, all_devices, cpu
from .core import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


def compute_gradient_of_variables(output_tensor, out_grad):
    arrays = {output_tensor: out_grad.numpy()}
    for node in reversed(find_topo_sort([output_tensor])):
        node.grad = arrays[node]
        if node.op is not None:
            for value, part in zip(node.inputs, node.op.gradient_as_tuple(Tensor(node.grad), node)):
                arrays[value] = arrays.get(value, 0) + part.numpy()


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
