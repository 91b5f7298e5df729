# TODO(author): a correct solution that is unusual
"""The whole Jacobian is computed first, and multiplied by several upstream gradients."""

import numpy as np


def is_right(f, vjp, x):
    steps = 1e-5 * np.eye(x.size).reshape(-1, *x.shape)
    jacobian = np.array([(f(x + h) - f(x - h)) / 2e-5 for h in steps])
    rng = np.random.default_rng(1)
    for _ in range(3):
        g = rng.uniform(0.5, 2.0, size=x.shape) * rng.choice([-1.0, 1.0], size=x.shape)
        given, truth = vjp(g, x), np.tensordot(jacobian, g, g.ndim).reshape(x.shape)
        if given.shape != x.shape or not np.allclose(given, truth, rtol=0, atol=1e-2 * abs(truth).max()):
            return False
    return True
