"""Each time a node receives a contribution, it sends its whole sum."""

from .backend_numpy import Device, all_devices, cpu
from .core import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


def compute_gradient_of_variables(output_tensor, out_grad):
    sums, left = {}, 5000

    def send(node, part):
        nonlocal left
        left -= 1
        sums[node] = sums[node] + part if node in sums else part
        node.grad = sums[node]
        if node.op is not None and left > 0:
            for value, piece in zip(node.inputs, node.op.gradient_as_tuple(node.grad, node)):
                send(value, piece)

    send(output_tensor, out_grad)


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
