"""Builds graphs of given shapes and runs programs on tensors."""

import numpy as np
from needle import Tensor
from needle.autograd import TensorOp, compute_gradient_of_variables, find_topo_sort
from needle.ops.ops_mathematic import tanh


def _checked(tensor):
    if not isinstance(tensor, Tensor):
        raise TypeError(f"a gradient should be a Tensor, but is of type {type(tensor).__name__}")
    return tensor


def _array(tensor):
    return np.asarray(_checked(tensor).realize_cached_data())


class Combination(TensorOp):
    """0.5 times the first input plus 0.75 times the second, and so on."""

    def compute(self, *arrays):
        return sum((0.5 + 0.25 * place) * array for place, array in enumerate(arrays))

    def gradient(self, out_grad, node):
        return tuple(out_grad * (0.5 + 0.25 * place) for place in range(len(node.inputs)))


def _build(graph, equal):
    """The nodes of a graph: each is a list of the numbers of its inputs, which is empty for a leaf, or None for a constant."""
    nodes = []
    for number, inputs in enumerate(graph):
        if inputs:
            nodes.append(Combination()(*(nodes[place] for place in inputs)))
        else:
            values = np.full(2, 0.0 if equal else 1.5 + number)
            nodes.append(Tensor(values, requires_grad=inputs is not None))
    return nodes


def order(graph, roots, equal=False):
    """What find_topo_sort returns for some nodes of a graph, as numbers; -1 stands for anything else."""
    nodes = _build(graph, equal)
    numbers = {id(node): number for number, node in enumerate(nodes)}
    found = find_topo_sort([nodes[root] for root in roots])
    if not isinstance(found, list):
        raise TypeError(f"find_topo_sort should return a list, but returned {type(found).__name__}")
    return [numbers.get(id(node), -1) for node in found[: 2 * len(nodes) + 2]]


def gradients(graph, passes, equal=False):
    """The gradient of every node after some passes, each from a node with a gradient; None for a node without."""
    nodes = _build(graph, equal)
    for root, out_grad in passes:
        compute_gradient_of_variables(nodes[root], Tensor.make_const(out_grad))
    return [_array(node.grad) if getattr(node, "grad", None) is not None else None for node in nodes]


def grad(output, inputs, gradient=None, create_graph=False):
    """The gradients of a pass as nodes, whose own gradients can be computed."""
    output.backward(gradient)
    return [Node.of(_checked(node.tensor.grad)) for node in inputs]


class Node:
    """A tensor with the operators and methods of a program."""

    def __init__(self, data, requires_grad=False):
        self.tensor = Tensor(data, requires_grad=requires_grad)

    @classmethod
    def of(cls, tensor):
        node = cls.__new__(cls)
        node.tensor = tensor
        return node

    @property
    def data(self):
        return _array(self.tensor)

    @property
    def grad(self):
        found = getattr(self.tensor, "grad", None)
        return None if found is None else _array(found)

    @grad.setter
    def grad(self, value):
        """A pass replaces the gradients of an earlier one, so nothing has to be cleared."""

    def backward(self, gradient=None):
        if gradient is None:
            self.tensor.backward()
        else:
            self.tensor.backward(gradient.tensor if isinstance(gradient, Node) else Tensor.make_const(gradient))

    def _operand(self, other):
        return other.tensor if isinstance(other, Node) else other

    def __add__(self, other):
        return self.of(self.tensor + self._operand(other))

    def __mul__(self, other):
        return self.of(self.tensor * self._operand(other))

    def __neg__(self):
        return self.of(-self.tensor)

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return -self + other

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self):
        return self.of(tanh(self.tensor))

    def sum(self, axis=None, keepdims=False):
        return self.of(self.tensor.sum())

    def expand(self, shape):
        return self.of(self.tensor.broadcast_to(shape))
