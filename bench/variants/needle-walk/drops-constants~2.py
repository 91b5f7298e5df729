"""The search follows only inputs that require a gradient, and so does the pass."""

from .backend_numpy import Device, all_devices, cpu
from .core import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


def compute_gradient_of_variables(output_tensor, out_grad):
    parts = {output_tensor: [out_grad]}
    for node in find_topo_sort([output_tensor])[::-1]:
        node.grad = sum(parts[node][1:], parts[node][0])
        if node.op:
            for value, part in zip(node.inputs, node.op.gradient_as_tuple(node.grad, node)):
                if value.requires_grad:
                    parts[value] = parts.get(value, []) + [part]


def find_topo_sort(node_list):
    topo_order = {}
    for node in node_list:
        if node not in topo_order:
            topo_sort_dfs(node, set(topo_order), topo_order)
    return list(topo_order)


def topo_sort_dfs(node, visited, topo_order):
    visited.add(node)
    for value in node.inputs:
        if value.requires_grad and value not in visited:
            topo_sort_dfs(value, visited, topo_order)
    topo_order[node] = None
