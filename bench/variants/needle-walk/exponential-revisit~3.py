"""Each contribution is sent on alone, along every path."""

from .backend_numpy import Device, all_devices, cpu
from .core import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


def compute_gradient_of_variables(output_tensor, out_grad):
    sums = {}

    def send(node, part):
        sums[node] = sums[node] + part if node in sums else part
        if node.op is not None:
            for value, piece in zip(node.inputs, node.op.gradient_as_tuple(part, node)):
                send(value, piece)

    send(output_tensor, out_grad)
    for node, total in sums.items():
        node.grad = total


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
