"""The gradient is multiplied with the operand at the end."""

import string

import numpy as np


def einsum_vjp(g, spec, *operands):
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
        result.append(x * np.einsum(",".join(inputs) + "->" + "".join(fresh), *arrays))
    return tuple(result)
