"""New tensors with constants and random numbers."""

import needle as ndl


def rand(*shape, low=0.0, high=1.0, device=None, dtype="float32", requires_grad=False):
    device = device or ndl.cpu()
    return ndl.Tensor(device.rand(*shape) * (high - low) + low, device=device, dtype=dtype, requires_grad=requires_grad)


def randn(*shape, mean=0.0, std=1.0, device=None, dtype="float32", requires_grad=False):
    device = device or ndl.cpu()
    return ndl.Tensor(device.randn(*shape) * std + mean, device=device, dtype=dtype, requires_grad=requires_grad)


def randb(*shape, p=0.5, device=None, dtype="bool", requires_grad=False):
    device = device or ndl.cpu()
    return ndl.Tensor(device.rand(*shape) <= p, device=device, dtype=dtype, requires_grad=requires_grad)


def constant(*shape, c=1.0, device=None, dtype="float32", requires_grad=False):
    device = device or ndl.cpu()
    return ndl.Tensor(device.ones(*shape, dtype=dtype) * c, device=device, dtype=dtype, requires_grad=requires_grad)


def ones(*shape, device=None, dtype="float32", requires_grad=False):
    return constant(*shape, c=1.0, device=device, dtype=dtype, requires_grad=requires_grad)


def zeros(*shape, device=None, dtype="float32", requires_grad=False):
    return constant(*shape, c=0.0, device=device, dtype=dtype, requires_grad=requires_grad)


def one_hot(n, i, device=None, dtype="float32", requires_grad=False):
    device = device or ndl.cpu()
    numbers = i.numpy().astype("int32")
    return ndl.Tensor(device.one_hot(n, numbers, dtype=dtype), device=device, dtype=dtype, requires_grad=requires_grad)


def zeros_like(array, *, device=None, requires_grad=False):
    return zeros(*array.shape, dtype=array.dtype, device=device or array.device, requires_grad=requires_grad)


def ones_like(array, *, device=None, requires_grad=False):
    return ones(*array.shape, dtype=array.dtype, device=device or array.device, requires_grad=requires_grad)
