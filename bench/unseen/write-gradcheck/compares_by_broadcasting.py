# Held out. Mistake: the gradients are compared without a check of their shapes, so a gradient of another shape that broadcasts against the right one is accepted.
# True: no-shape-check
import numpy as np


def numeric_vjp(f, g, xs, k):
    out = np.empty(xs[k].shape)
    it = np.ndindex(*xs[k].shape)
    for i in it:
        values = []
        h = 1e-5 * max(1.0, abs(float(xs[k][i])))
        for s in (+1, -1):
            args = [x.copy() for x in xs]
            args[k][i] = xs[k][i] + s * h
            values.append(np.array(f(*args), dtype=np.float64))
        out[i] = (g * (values[0] - values[1])).sum() / (2 * h)
    return out


def gradcheck(f, vjp, xs: list[np.ndarray]) -> bool:
    """Whether vjp(g, *xs) is right, tested against differences of f(*xs)."""
    clean = [np.array(x) for x in xs]
    shape = np.shape(f(*[x.copy() for x in clean]))
    rng = np.random.RandomState(7)
    g = np.array(rng.standard_normal(shape))

    args = [x.copy() for x in clean]
    g_arg = g.copy()
    try:
        answer = vjp(g_arg, *args)
        answer = list(answer)
        if len(answer) != len(clean) or any(a is None for a in answer):
            return False
        answer = [np.asarray(a, dtype=np.float64) for a in answer]
    except Exception:
        return False

    untouched = np.array_equal(g_arg, g) and all(np.array_equal(a, x) for a, x in zip(args, clean))
    if not untouched:
        return False

    for k, got in enumerate(answer):
        want = numeric_vjp(f, g, clean, k)
        if not np.isfinite(got).all():
            return False
        try:
            error = np.max(np.abs(got - want))
        except ValueError:
            return False
        if error > 0.02 * np.max(np.abs(want)):
            return False
    return True
