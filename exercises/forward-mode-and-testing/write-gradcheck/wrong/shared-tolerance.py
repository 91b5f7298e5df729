"""The error is compared with the largest entry of all gradients together, so a wrong gradient of an input with small
gradients passes.
"""

import numpy as np


def pack(arrays):
    return np.concatenate([np.ravel(a) for a in arrays])


def unpack(vector, xs):
    out, position = [], 0
    for x in xs:
        out.append(vector[position : position + x.size].reshape(x.shape).copy())
        position += x.size
    return out


def gradcheck(f, vjp, xs):
    flat = pack(xs)
    shape = np.shape(f(*unpack(flat, xs)))
    rng = np.random.default_rng(1)
    differences = []
    for j in range(flat.size):
        h = 1e-5 * max(1.0, abs(flat[j]))
        e = np.zeros(flat.size)
        e[j] = h
        differences.append((f(*unpack(flat + e, xs)) - f(*unpack(flat - e, xs))) / (2 * h))
    for _ in range(3):
        g = rng.normal(size=shape) if shape else np.array(rng.normal())
        args = unpack(flat, xs)
        g_arg = g.copy()
        try:
            grads = vjp(g_arg, *args)
            assert isinstance(grads, (tuple, list)) and len(grads) == len(xs)
            assert all(grad is not None and np.shape(grad) == x.shape for grad, x in zip(grads, xs))
            got = pack(grads)
        except Exception:
            return False
        if not np.array_equal(g, g_arg) or not np.array_equal(pack(args), flat):
            return False
        want = np.array([np.sum(g * d) for d in differences])
        if not np.all(np.isfinite(got)):
            return False
        if np.max(np.abs(got - want)) > 0.01 * np.max(np.abs(want)):
            return False
    return True
