"""A file that defines all classes itself, with data that can be computed later, and a recursive search."""

from functools import reduce
from operator import add
from typing import Any, Optional, Union

import needle
import numpy
import numpy as array_api
from needle import init

from .backend_numpy import Device, all_devices, cpu

NDArray = numpy.ndarray
LAZY_MODE = False
TENSOR_COUNTER = 0


class Op:
    def __call__(self, *args):
        raise NotImplementedError()

    def compute(self, *args: NDArray) -> NDArray:
        raise NotImplementedError()

    def gradient(self, out_grad: "Value", node: "Value") -> Union["Value", tuple["Value", ...]]:
        raise NotImplementedError()

    def gradient_as_tuple(self, out_grad: "Value", node: "Value") -> tuple["Value", ...]:
        result = self.gradient(out_grad, node)
        if isinstance(result, list):
            result = tuple(result)
        return result if isinstance(result, tuple) else (result,)


class TensorOp(Op):
    def __call__(self, *args):
        return Tensor.make_from_op(self, args)


class TensorTupleOp(Op):
    def __call__(self, *args):
        return TensorTuple.make_from_op(self, args)


class Value:
    op: Optional[Op]
    inputs: list["Value"]
    cached_data: Any
    requires_grad: bool

    def realize_cached_data(self):
        if self.cached_data is None:
            arrays = [value.realize_cached_data() for value in self.inputs]
            self.cached_data = self.op.compute(*arrays)
        return self.cached_data

    def is_leaf(self):
        return self.op is None

    def __del__(self):
        global TENSOR_COUNTER
        TENSOR_COUNTER -= 1

    def _init(self, op, inputs, *, num_outputs=1, cached_data=None, requires_grad=None):
        global TENSOR_COUNTER
        TENSOR_COUNTER += 1
        self.op = op
        self.inputs = list(inputs)
        self.num_outputs = num_outputs
        self.cached_data = cached_data
        self.requires_grad = any(value.requires_grad for value in inputs) if requires_grad is None else requires_grad

    @classmethod
    def make_const(cls, data, *, requires_grad=False):
        value = cls.__new__(cls)
        value._init(None, [], cached_data=data, requires_grad=requires_grad)
        return value

    @classmethod
    def make_from_op(cls, op, inputs):
        value = cls.__new__(cls)
        value._init(op, inputs)
        if not LAZY_MODE:
            if not value.requires_grad:
                return value.detach()
            value.realize_cached_data()
        return value


class TensorTuple(Value):
    def __len__(self):
        return len(self.realize_cached_data())

    def __getitem__(self, index):
        return needle.ops.tuple_get_item(self, index)

    def detach(self):
        return TensorTuple.make_const(self.realize_cached_data())


class Tensor(Value):
    grad: "Tensor"

    def __init__(self, array, *, device: Optional[Device] = None, dtype=None, requires_grad=True, **kwargs):
        if isinstance(array, Tensor):
            array = array.numpy()
        self._init(None, [], cached_data=array_api.array(array, dtype=dtype), requires_grad=requires_grad)

    @staticmethod
    def make_from_op(op, inputs):
        tensor = Tensor.__new__(Tensor)
        tensor._init(op, inputs)
        if not LAZY_MODE:
            if not tensor.requires_grad:
                return tensor.detach()
            tensor.realize_cached_data()
        return tensor

    @staticmethod
    def make_const(data, requires_grad=False):
        tensor = Tensor.__new__(Tensor)
        data = data.realize_cached_data() if isinstance(data, Tensor) else data
        tensor._init(None, [], cached_data=data, requires_grad=requires_grad)
        return tensor

    @property
    def data(self):
        return self.detach()

    @data.setter
    def data(self, value):
        self.cached_data = value.realize_cached_data()

    def detach(self):
        return Tensor.make_const(self.realize_cached_data())

    @property
    def shape(self):
        return self.realize_cached_data().shape

    @property
    def dtype(self):
        return self.realize_cached_data().dtype

    @property
    def device(self):
        return cpu()

    def backward(self, out_grad=None):
        out_grad = out_grad if out_grad else init.ones(*self.shape, dtype=self.dtype, device=self.device)
        compute_gradient_of_variables(self, out_grad)

    def numpy(self):
        return self.realize_cached_data()

    def __add__(self, other):
        if isinstance(other, Tensor):
            return needle.ops.EWiseAdd()(self, other)
        return needle.ops.AddScalar(other)(self)

    def __mul__(self, other):
        if isinstance(other, Tensor):
            return needle.ops.EWiseMul()(self, other)
        return needle.ops.MulScalar(other)(self)

    def __sub__(self, other):
        if isinstance(other, Tensor):
            return needle.ops.EWiseAdd()(self, needle.ops.Negate()(other))
        return needle.ops.AddScalar(-other)(self)

    def __rsub__(self, other):
        return needle.ops.AddScalar(other)(-self)

    def __truediv__(self, other):
        if isinstance(other, Tensor):
            return needle.ops.EWiseDiv()(self, other)
        return needle.ops.DivScalar(other)(self)

    def __matmul__(self, other):
        return needle.ops.MatMul()(self, other)

    def __neg__(self):
        return needle.ops.Negate()(self)

    def sum(self, axes=None):
        return needle.ops.Summation(axes)(self)

    def broadcast_to(self, shape):
        return needle.ops.BroadcastTo(shape)(self)

    __radd__ = __add__
    __rmul__ = __mul__


def compute_gradient_of_variables(output_tensor, out_grad):
    contributions: dict[Tensor, list[Tensor]] = {output_tensor: [out_grad]}
    for node in list(reversed(find_topo_sort([output_tensor]))):
        node.grad = sum_node_list(contributions[node])
        if node.op is None:
            continue
        for number, part in enumerate(node.op.gradient_as_tuple(node.grad, node)):
            value = node.inputs[number]
            if value not in contributions:
                contributions[value] = []
            contributions[value].append(part)


def find_topo_sort(node_list: list[Value]) -> list[Value]:
    visited: set[Value] = set()
    topo_order: list[Value] = []
    for node in node_list:
        if node not in visited:
            topo_sort_dfs(node, visited, topo_order)
    return topo_order


def topo_sort_dfs(node, visited, topo_order):
    for value in node.inputs:
        if value not in visited:
            topo_sort_dfs(value, visited, topo_order)
    visited.add(node)
    topo_order.append(node)


def sum_node_list(node_list):
    return reduce(add, node_list)
