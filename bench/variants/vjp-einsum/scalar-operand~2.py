"""A regular expression finds terms with at least one letter."""

import re
import string

import numpy as np


def einsum_vjp(g, spec, *operands):
    terms = re.findall(r"[A-Za-z]+", spec.split("->")[0])
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
