"""Operators that make tuples of tensors and take them apart."""

import needle

from ..autograd import Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


class MakeTensorTuple(TensorTupleOp):
    def compute(self, *args):
        return tuple(args)

    def gradient(self, out_grad, node):
        return tuple(out_grad[n] for n in range(len(out_grad)))


def make_tuple(*args):
    return MakeTensorTuple()(*args)


class TupleGetItem(TensorOp):
    def __init__(self, index):
        self.index = index

    def __call__(self, a, fold_const=True):
        if fold_const and isinstance(a.op, MakeTensorTuple):
            return a.inputs[self.index]
        return Tensor.make_from_op(self, [a])

    def compute(self, a):
        return a[self.index]

    def gradient(self, out_grad, node):
        parts = [part if n == self.index else needle.init.zeros_like(part) for n, part in enumerate(node.inputs[0])]
        parts[self.index] = out_grad
        return make_tuple(*parts)


def tuple_get_item(value, index):
    return TupleGetItem(index)(value)
