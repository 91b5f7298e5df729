"""The operators of needle. array_api stands for numpy."""

import numpy as array_api

from ..autograd import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value


class EWiseAdd(TensorOp):
    def compute(self, a, b):
        return a + b

    def gradient(self, out_grad, node):
        return out_grad, out_grad


def add(a, b):
    return EWiseAdd()(a, b)


class AddScalar(TensorOp):
    def __init__(self, scalar):
        self.scalar = scalar

    def compute(self, a):
        return a + self.scalar

    def gradient(self, out_grad, node):
        return out_grad


def add_scalar(a, scalar):
    return AddScalar(scalar)(a)


class EWiseMul(TensorOp):
    def compute(self, a, b):
        return a * b

    def gradient(self, out_grad, node):
        a, b = node.inputs
        return out_grad * b, out_grad * a


def multiply(a, b):
    return EWiseMul()(a, b)


class MulScalar(TensorOp):
    def __init__(self, scalar):
        self.scalar = scalar

    def compute(self, a):
        return a * self.scalar

    def gradient(self, out_grad, node):
        return out_grad * self.scalar


def mul_scalar(a, scalar):
    return MulScalar(scalar)(a)


class EWisePow(TensorOp):
    def compute(self, a, b):
        raise NotImplementedError("write EWisePow.compute")

    def gradient(self, out_grad, node):
        raise NotImplementedError("write EWisePow.gradient")


def power(a, b):
    return EWisePow()(a, b)


class PowerScalar(TensorOp):
    def __init__(self, scalar):
        self.scalar = scalar

    def compute(self, a):
        raise NotImplementedError("write PowerScalar.compute")

    def gradient(self, out_grad, node):
        raise NotImplementedError("write PowerScalar.gradient")


def power_scalar(a, scalar):
    return PowerScalar(scalar)(a)


class EWiseDiv(TensorOp):
    def compute(self, a, b):
        raise NotImplementedError("write EWiseDiv.compute")

    def gradient(self, out_grad, node):
        raise NotImplementedError("write EWiseDiv.gradient")


def divide(a, b):
    return EWiseDiv()(a, b)


class DivScalar(TensorOp):
    def __init__(self, scalar):
        self.scalar = scalar

    def compute(self, a):
        raise NotImplementedError("write DivScalar.compute")

    def gradient(self, out_grad, node):
        raise NotImplementedError("write DivScalar.gradient")


def divide_scalar(a, scalar):
    return DivScalar(scalar)(a)


class Transpose(TensorOp):
    def __init__(self, axes=None):
        self.axes = axes

    def compute(self, a):
        raise NotImplementedError("write Transpose.compute")

    def gradient(self, out_grad, node):
        raise NotImplementedError("write Transpose.gradient")


def transpose(a, axes=None):
    return Transpose(axes)(a)


class Reshape(TensorOp):
    def __init__(self, shape):
        self.shape = shape

    def compute(self, a):
        raise NotImplementedError("write Reshape.compute")

    def gradient(self, out_grad, node):
        raise NotImplementedError("write Reshape.gradient")


def reshape(a, shape):
    return Reshape(shape)(a)


class BroadcastTo(TensorOp):
    def __init__(self, shape):
        self.shape = shape

    def compute(self, a):
        raise NotImplementedError("write BroadcastTo.compute")

    def gradient(self, out_grad, node):
        raise NotImplementedError("write BroadcastTo.gradient")


def broadcast_to(a, shape):
    return BroadcastTo(shape)(a)


class Summation(TensorOp):
    def __init__(self, axes=None):
        self.axes = axes

    def compute(self, a):
        raise NotImplementedError("write Summation.compute")

    def gradient(self, out_grad, node):
        raise NotImplementedError("write Summation.gradient")


def summation(a, axes=None):
    return Summation(axes)(a)


class MatMul(TensorOp):
    def compute(self, a, b):
        raise NotImplementedError("write MatMul.compute")

    def gradient(self, out_grad, node):
        raise NotImplementedError("write MatMul.gradient")


def matmul(a, b):
    return MatMul()(a, b)


class Negate(TensorOp):
    def compute(self, a):
        raise NotImplementedError("write Negate.compute")

    def gradient(self, out_grad, node):
        raise NotImplementedError("write Negate.gradient")


def negate(a):
    return Negate()(a)


class Log(TensorOp):
    def compute(self, a):
        raise NotImplementedError("write Log.compute")

    def gradient(self, out_grad, node):
        raise NotImplementedError("write Log.gradient")


def log(a):
    return Log()(a)


class Exp(TensorOp):
    def compute(self, a):
        raise NotImplementedError("write Exp.compute")

    def gradient(self, out_grad, node):
        raise NotImplementedError("write Exp.gradient")


def exp(a):
    return Exp()(a)


class ReLU(TensorOp):
    def compute(self, a):
        raise NotImplementedError("write ReLU.compute")

    def gradient(self, out_grad, node):
        raise NotImplementedError("write ReLU.gradient")


def relu(a):
    return ReLU()(a)
