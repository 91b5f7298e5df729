"""A strict comparison, which 0 < 0 fails."""

import numpy as np


def jacobian(f, xs, which):
    """One column for each entry of the input."""
    columns = []
    flat = np.array(xs[which], order="C").reshape(-1)
    for j in range(flat.size):
        step = 1e-5 * (1 + abs(flat[j]))
        values = []
        for sign in (1, -1):
            moved = flat.copy()
            moved[j] += sign * step
            args = list(xs)
            args[which] = moved.reshape(xs[which].shape)
            values.append(np.ravel(f(*args)))
        columns.append((values[0] - values[1]) / (2 * step))
    return np.stack(columns, axis=1)


def right_for(g, vjp, xs, jacobians):
    copies = [np.array(x) for x in xs]
    upstream = np.array(g)
    try:
        answer = vjp(upstream, *copies)
        answer = list(answer)
    except Exception:
        return False
    if len(answer) != len(xs):
        return False
    if not (upstream == g).all() or any((a != b).any() for a, b in zip(copies, xs)):
        return False
    for x, d, J in zip(xs, answer, jacobians):
        if d is None or np.shape(d) != np.shape(x):
            return False
        expected = g.ravel() @ J
        error = np.abs(np.ravel(d) - expected).max()
        if not error < 0.01 * np.abs(expected).max():
            return False
    return True


def gradcheck(f, vjp, xs):
    jacobians = [jacobian(f, xs, i) for i in range(len(xs))]
    shape = np.shape(f(*xs))
    rng = np.random.RandomState(1)
    return all(right_for(rng.standard_normal(shape) if shape else np.array(rng.standard_normal()), vjp, xs, jacobians) for _ in range(4))
