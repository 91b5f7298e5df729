"""Without einsum: all arrays get one axis for each letter. They are multiplied, and the rest is a sum and a transpose."""

import math

import numpy as np


def expanded(x, term, letters):
    """The array with one axis for each letter, which has size 1 for letters that its term lacks."""
    term = list(term)
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            one = term.index(letter)
            two = term.index(letter, one + 1)
            x = np.diagonal(x, axis1=one, axis2=two)  # the diagonal becomes the last axis
            del term[two], term[one]
            term.append(letter)
    x = x.transpose(sorted(range(x.ndim), key=lambda axis: letters.index(term[axis])))
    return x.reshape([x.shape[sorted(term, key=letters.index).index(letter)] if letter in term else 1 for letter in letters])


def einsum_vjp(g, spec, *operands):
    left, output = spec.split("->")
    terms = left.split(",")
    sizes = {letter: n for term, x in zip(terms, operands) for letter, n in zip(term, x.shape)}
    letters = list(sizes)
    full = [expanded(x, term, letters) for x, term in zip(operands, terms)]
    upstream = expanded(g, output, letters)
    return tuple(
        contribution(math.prod(full[:n] + full[n + 1 :], start=upstream), x.shape, terms[n], letters, sizes)
        for n, x in enumerate(operands)
    )


def contribution(product, shape, term, letters, sizes):
    product = np.broadcast_to(product, [sizes[letter] for letter in letters])
    values = product.sum(axis=tuple(n for n, letter in enumerate(letters) if letter not in term))
    own = [letter for letter in letters if letter in term]
    grid = dict(zip(own, np.ix_(*(np.arange(sizes[letter]) for letter in own))))
    dx = np.zeros(shape)
    dx[tuple(grid[letter] for letter in term)] += values
    return dx
