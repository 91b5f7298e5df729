"""A node sends its gradient on as soon as it has one."""

from .backend_numpy import Device, all_devices, cpu
from .core import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


def compute_gradient_of_variables(output_tensor, out_grad):
    sums, sent = {output_tensor: out_grad}, set()

    def send(node):
        node.grad = sums[node]
        if node in sent or node.op is None:
            return
        sent.add(node)
        for value, part in zip(node.inputs, node.op.gradient_as_tuple(node.grad, node)):
            sums[value] = sums[value] + part if value in sums else part
            send(value)

    send(output_tensor)


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
