"""Tensors and the base classes of operators. Everything here can be imported from needle.autograd, too."""

import needle
import numpy
from needle import init
from needle.backend_numpy import cpu

NDArray = numpy.ndarray


class Op:
    """An operator: `compute` works on arrays, `gradient` on tensors."""

    def __call__(self, *args):
        raise NotImplementedError

    def compute(self, *args):
        raise NotImplementedError

    def gradient(self, out_grad, node):
        """The gradient of each input of `node`, given that of its output: a tensor, or a tuple or list of them."""
        raise NotImplementedError

    def gradient_as_tuple(self, out_grad, node):
        found = self.gradient(out_grad, node)
        return tuple(found) if isinstance(found, tuple | list) else (found,)


class TensorOp(Op):
    """An operator whose output is one tensor."""

    def __call__(self, *args):
        return Tensor.make_from_op(self, args)


class TensorTupleOp(Op):
    """An operator whose output is a tuple of tensors."""

    def __call__(self, *args):
        return TensorTuple.make_from_op(self, args)


class Value:
    """A node of the graph: the operator and the inputs that it was computed from. A leaf has no operator."""

    op = None
    inputs = ()
    cached_data = None
    requires_grad = False

    def realize_cached_data(self):
        """The data of the node, which is computed when it is first needed."""
        if self.cached_data is None:
            self.cached_data = self.op.compute(*(value.realize_cached_data() for value in self.inputs))
        return self.cached_data

    def is_leaf(self):
        return self.op is None

    def _init(self, op, inputs, *, cached_data=None, requires_grad=None):
        if requires_grad is None:
            requires_grad = any(value.requires_grad for value in inputs)
        self.op, self.inputs = op, list(inputs)
        self.cached_data, self.requires_grad = cached_data, requires_grad

    @classmethod
    def make_const(cls, data, *, requires_grad=False):
        """A leaf with this data, which is not copied."""
        value = cls.__new__(cls)
        value._init(None, [], cached_data=data, requires_grad=requires_grad)
        return value

    @classmethod
    def make_from_op(cls, op, inputs):
        value = cls.__new__(cls)
        value._init(op, inputs)
        value.realize_cached_data()
        return value if value.requires_grad else value.detach()


class TensorTuple(Value):
    """Several tensors as one node."""

    def __len__(self):
        return len(self.realize_cached_data())

    def __getitem__(self, index):
        return needle.ops.tuple_get_item(self, index)

    def tuple(self):
        return tuple(self)

    def detach(self):
        return TensorTuple.make_const(self.realize_cached_data())


class Tensor(Value):
    """An array in a graph. `grad`, a tensor, exists after a backward pass that reached this one."""

    def __init__(self, array, *, device=None, dtype=None, requires_grad=True, **_):
        if isinstance(array, Tensor):
            array = array.realize_cached_data()
        self._init(None, [], cached_data=numpy.array(array, dtype=dtype), requires_grad=requires_grad)

    @property
    def data(self):
        return self.detach()

    @data.setter
    def data(self, value):
        self.cached_data = value.realize_cached_data()

    def detach(self):
        """A leaf with the same data, which does not require a gradient."""
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

    def numpy(self):
        return self.realize_cached_data()

    def backward(self, out_grad=None):
        """Sets `grad` of every tensor that this one depends on. Without `out_grad` the upstream gradient is 1 everywhere."""
        if out_grad is None:
            out_grad = init.ones(*self.shape, dtype=self.dtype, device=self.device)
        needle.autograd.compute_gradient_of_variables(self, out_grad)

    def __repr__(self):
        return f"needle.Tensor({self.realize_cached_data()})"

    def __str__(self):
        return str(self.realize_cached_data())

    def __add__(self, other):
        return needle.ops.EWiseAdd()(self, other) if isinstance(other, Tensor) else needle.ops.AddScalar(other)(self)

    def __mul__(self, other):
        return needle.ops.EWiseMul()(self, other) if isinstance(other, Tensor) else needle.ops.MulScalar(other)(self)

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        return needle.ops.EWiseDiv()(self, other) if isinstance(other, Tensor) else needle.ops.DivScalar(other)(self)

    def __pow__(self, other):
        return needle.ops.EWisePow()(self, other) if isinstance(other, Tensor) else needle.ops.PowerScalar(other)(self)

    def __matmul__(self, other):
        return needle.ops.MatMul()(self, other)

    def __neg__(self):
        return needle.ops.Negate()(self)

    def matmul(self, other):
        return self @ other

    def sum(self, axes=None):
        return needle.ops.Summation(axes)(self)

    def broadcast_to(self, shape):
        return needle.ops.BroadcastTo(shape)(self)

    def reshape(self, shape):
        return needle.ops.Reshape(shape)(self)

    def transpose(self, axes=None):
        return needle.ops.Transpose(axes)(self)

    __radd__ = __add__
    __rmul__ = __mul__
