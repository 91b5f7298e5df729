"""Writes each gradient into a strided view of zeros: a repeated letter is one axis whose strides are added up.

einsum is called with lists of numbers in place of letters; axes that no other array has are filled by broadcasting.
"""

import string

import numpy as np
from numpy.lib.stride_tricks import as_strided


def einsum_vjp(g: np.ndarray, spec: str, *operands: np.ndarray) -> tuple[np.ndarray, ...]:
    inputs, result = spec.split("->")
    terms = [[string.ascii_letters.index(letter) for letter in term] for term in inputs.split(",")]
    upstream = (g, [string.ascii_letters.index(letter) for letter in result])
    gradients = []
    for position, (term, operand) in enumerate(zip(terms, operands, strict=True)):
        others = [pair for k, pair in enumerate(zip(operands, terms)) if k != position]
        call = [upstream, *others]
        axes = list(dict.fromkeys(term))
        known = [axis for axis in axes if any(axis in names for _, names in call)]
        part = np.einsum(*(item for pair in call for item in pair), known)
        gradient = np.zeros(operand.shape)
        view = as_strided(
            gradient,
            shape=[operand.shape[term.index(axis)] for axis in axes],
            strides=[sum(s for s, name in zip(gradient.strides, term) if name == axis) for axis in axes],
        )
        view[...] = part[tuple(slice(None) if axis in known else None for axis in axes)]
        gradients.append(gradient)
    return tuple(gradients)
