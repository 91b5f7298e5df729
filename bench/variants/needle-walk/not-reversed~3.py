"""The list is built from the front, and the pass goes through it as it is."""

from collections import deque

from .backend_numpy import Device, all_devices, cpu
from .core import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


def compute_gradient_of_variables(output_tensor, out_grad):
    sums = {output_tensor: out_grad}
    for node in find_topo_sort([output_tensor]):
        node.grad = sums[node]
        if node.inputs:
            for value, part in zip(node.inputs, node.op.gradient_as_tuple(node.grad, node)):
                sums[value] = sums[value] + part if value in sums else part


def find_topo_sort(node_list):
    topo_order = deque()
    visited = set()
    for node in node_list:
        topo_sort_dfs(node, visited, topo_order)
    return list(topo_order)


def topo_sort_dfs(node, visited, topo_order):
    if node not in visited:
        visited.add(node)
        for value in node.inputs:
            topo_sort_dfs(value, visited, topo_order)
        topo_order.appendleft(node)
