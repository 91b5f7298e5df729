import torch


def checkpoint(fn, *args):
    """The value of fn(*args). Its inside is not kept, but computed again in the backward pass."""
    raise NotImplementedError("your part")
