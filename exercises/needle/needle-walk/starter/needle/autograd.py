"""The public names of core.py, and the reverse walk."""

from .backend_numpy import Device, all_devices, cpu
from .core import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


def compute_gradient_of_variables(output_tensor, out_grad):
    """Sets `grad` of output_tensor, which is out_grad, and of every node that it was computed from."""
    raise NotImplementedError("write compute_gradient_of_variables")


def find_topo_sort(node_list):
    """The nodes of node_list and all nodes that they were computed from: each once, and after all its inputs."""
    raise NotImplementedError("write find_topo_sort")


def topo_sort_dfs(node, visited, topo_order):
    """Appends to topo_order the nodes that a depth-first search from this node finds and that are not yet visited."""
    raise NotImplementedError("write topo_sort_dfs")
