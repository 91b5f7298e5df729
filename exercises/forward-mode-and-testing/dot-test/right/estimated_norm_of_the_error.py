"""Estimates the norm of the error of each gradient: (error . v)^2 has the mean |error|^2 for normal v. The tangents do not
depend on the upstream gradient, so all trials share them."""

import numpy as np

PROBES, TRIALS = 16, 6


def upstream_gradients(shape, rng):
    """Half of the entries are negative; the next one has the opposite signs."""
    size = int(np.prod(shape))
    for trial in range(TRIALS):
        if trial % 2 == 0:
            signs = rng.permutation((-1.0) ** np.arange(size))
        else:
            signs = -signs
        yield (signs * rng.uniform(0.5, 2.0, size)).reshape(shape)


def gradients(vjp, g, xs):
    """The gradients if their number, shapes and entries are in order, otherwise None."""
    try:
        answer = vjp(g, *xs)
        if not isinstance(answer, (tuple, list)) or len(answer) != len(xs):
            return None
        answer = [np.asarray(d, dtype=float) for d in answer]
    except Exception:
        return None
    in_order = all(d.shape == x.shape and np.isfinite(d).all() for d, x in zip(answer, xs))
    return answer if in_order else None


def dot_test(jvp, vjp, xs):
    rng = np.random.default_rng(2024)
    probes = []  # for each input: pairs of a direction and its tangent
    for i, x in enumerate(xs):
        directions = [rng.standard_normal(x.shape) for _ in range(PROBES)]
        probes.append([(v, jvp(xs, [v if j == i else np.zeros(z.shape) for j, z in enumerate(xs)])) for v in directions])

    for g in upstream_gradients(np.shape(probes[0][0][1]), rng):
        answer = gradients(vjp, g, xs)
        if answer is None:
            return False
        for d, pairs in zip(answer, probes):
            true = np.array([np.sum(g * tangent) for _, tangent in pairs])
            error = true - [np.sum(d * v) for v, _ in pairs]
            if np.linalg.norm(error) > 1e-3 * np.linalg.norm(true):
                return False
    return True
