"""A queue of nodes that have received something; each is handled once."""

from .backend_numpy import Device, all_devices, cpu
from .core import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


def compute_gradient_of_variables(output_tensor, out_grad):
    sums, queue = {output_tensor: out_grad}, [output_tensor]
    for node in queue:
        if node.op is not None:
            for value, part in zip(node.inputs, node.op.gradient_as_tuple(sums[node], node)):
                if value in sums:
                    sums[value] = sums[value] + part
                else:
                    sums[value] = part
                    queue.append(value)
    for node in queue:
        node.grad = sums[node]


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
