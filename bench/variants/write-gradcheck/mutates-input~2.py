"""Entries are moved in place and moved back by subtraction, which is not exact."""

import numpy as np


def gradcheck(f, vjp, xs):
    rng = np.random.default_rng(0)
    g = rng.normal(size=(3, *np.shape(f(*xs))))
    return all(check(f, vjp, xs, one) for one in g)


def check(f, vjp, xs, g):
    before = [x.copy() for x in xs]
    upstream = np.array(g)
    try:
        grads = vjp(upstream, *[np.array(x) for x in xs])
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
            h = 1e-5 * max(abs(old), 1.0)
            x[at] += h
            up = np.array(f(*xs))
            x[at] -= 2 * h
            down = np.array(f(*xs))
            x[at] += h
            num[at] = ((up - down) * g).sum() / (2 * h)
        if np.max(np.abs(num - d)) > 1e-3 * np.max(np.abs(num)):
            return False
    return True
