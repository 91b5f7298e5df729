import torch


def scaled(t, c):
    """A tensor with the value of t, through which gradients are multiplied by c on their way back."""
    raise NotImplementedError("your part")


def record(t):
    """A list that receives the gradient of t in every backward pass, and a handle whose remove() ends this."""
    raise NotImplementedError("your part")
