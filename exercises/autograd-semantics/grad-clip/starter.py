import torch


def clip_global_norm_(params, max_norm):
    """Scale all gradients in place so that their common norm is at most max_norm. Return the norm before."""
    raise NotImplementedError("your part")
