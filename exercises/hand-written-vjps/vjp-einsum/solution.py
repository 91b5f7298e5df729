"""The gradient of an operand is an einsum of the upstream gradient and all other operands, onto the letters of the operand."""

import numpy as np


def einsum_vjp(g: np.ndarray, spec: str, *operands: np.ndarray) -> tuple[np.ndarray, ...]:
    inputs, output = spec.split("->")
    terms = inputs.split(",")
    gradients = []
    for n, x in enumerate(operands):
        sizes = dict(zip(terms[n], x.shape))  # a repeated letter occurs once
        letters, ones = "".join(sizes), np.ones(tuple(sizes.values()))  # the ones have the letters that no other array has
        others = ",".join([output, letters, *terms[:n], *terms[n + 1 :]])
        values = np.einsum(f"{others}->{letters}", g, ones, *operands[:n], *operands[n + 1 :])
        position = dict(zip(letters, np.indices(ones.shape)))
        dx = np.zeros(x.shape)
        dx[tuple(position[letter] for letter in terms[n])] = values
        gradients.append(dx)
    return tuple(gradients)
