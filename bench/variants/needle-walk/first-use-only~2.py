"""The first contribution that reaches a node is its gradient."""

from .backend_numpy import Device, all_devices, cpu
from .core import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


def compute_gradient_of_variables(output_tensor, out_grad):
    reached = {output_tensor}
    output_tensor.grad = out_grad
    for node in reversed(find_topo_sort([output_tensor])):
        parts = node.op.gradient_as_tuple(node.grad, node) if node.inputs else ()
        for value, part in zip(node.inputs, parts):
            if value in reached:
                continue
            reached.add(value)
            value.grad = part


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
