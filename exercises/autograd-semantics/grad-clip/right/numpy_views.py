"""numpy works in the memory of the gradients."""

import numpy as np


def clip_global_norm_(params, max_norm):
    arrays = [p.grad.numpy() for p in params if p.grad is not None]
    norm = float(np.sqrt(sum(np.square(a, dtype="float64").sum() for a in arrays)))
    if np.isfinite(norm) and norm > max_norm:
        for a in arrays:
            np.multiply(a, max_norm / norm, out=a)
    return norm
