"""Nodes sorted by the longest way to a leaf. Gradients are pulled from the nodes that use a node."""

from functools import reduce
from operator import add

from .backend_numpy import Device, all_devices, cpu
from .core import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


def compute_gradient_of_variables(output_tensor, out_grad):
    uses = {}
    for node in find_topo_sort([output_tensor]):
        for place, value in enumerate(node.inputs):
            uses.setdefault(id(value), []).append((node, place))
    contributions = {}

    def contribution(node, place):
        if node not in contributions:
            contributions[node] = node.op.gradient_as_tuple(node.grad, node)
        return contributions[node][place]

    for node in reversed(find_topo_sort([output_tensor])):
        if not node.requires_grad:
            continue
        if node is output_tensor:
            node.grad = out_grad
        else:
            node.grad = reduce(add, [contribution(*use) for use in uses[id(node)]])


def find_topo_sort(node_list):
    heights = {}
    for node in node_list:
        topo_sort_dfs(node, heights, None)
    return sorted(heights, key=heights.get)


def topo_sort_dfs(node, visited, topo_order):
    if node not in visited:
        for value in node.inputs:
            topo_sort_dfs(value, visited, topo_order)
        visited[node] = 1 + max((visited[value] for value in node.inputs), default=0)
