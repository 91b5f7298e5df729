"""A queue from the outputs, reversed."""

from collections import deque

from .backend_numpy import Device, all_devices, cpu
from .core import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


def compute_gradient_of_variables(output_tensor, out_grad):
    received = {output_tensor: [out_grad]}
    for node in reversed(find_topo_sort([output_tensor])):
        total, *others = received[node]
        for part in others:
            total = total + part
        node.grad = total
        if not node.is_leaf():
            for value, part in zip(node.inputs, node.op.gradient_as_tuple(total, node)):
                received.setdefault(value, []).append(part)


def find_topo_sort(node_list):
    visited, queue = set(node_list), deque(dict.fromkeys(node_list))
    topo_order = []
    while queue:
        node = queue.popleft()
        topo_order.append(node)
        for value in node.inputs:
            if value not in visited:
                visited.add(value)
                queue.append(value)
    return topo_order[::-1]
