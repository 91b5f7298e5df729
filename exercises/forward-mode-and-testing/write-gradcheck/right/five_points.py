"""The five-point rule with a longer step, on arrays that are changed and restored."""

import numpy as np


def gradcheck(f, vjp, xs):
    rng = np.random.default_rng(0)
    g = rng.normal(size=(3, *np.shape(f(*xs))))
    return all(check(f, vjp, xs, one) for one in g)


def check(f, vjp, xs, g):
    xs = [np.array(x) for x in xs]
    before = [x.copy() for x in xs]
    upstream = np.array(g)
    try:
        grads = vjp(upstream, *xs)
    except Exception:
        return False
    same = (upstream == g).all() and all((x == y).all() for x, y in zip(xs, before))
    if grads is None or len(grads) != len(xs) or not same:
        return False
    for x, d in zip(xs, grads):
        if d is None or np.shape(d) != x.shape or not np.all(np.isfinite(d)):
            return False
        num = np.zeros_like(x)
        for at in np.ndindex(*x.shape):
            old = x[at]
            h = 3e-4 * max(abs(old) / 10, 1.0)
            total = 0.0
            for steps, weight in ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0)):
                x[at] = old + steps * h
                total += weight * np.sum(f(*xs) * g)
            x[at] = old
            num[at] = total / (12 * h)
        if np.max(np.abs(num - d)) > 1e-3 * np.max(np.abs(num)):
            return False
    return True
