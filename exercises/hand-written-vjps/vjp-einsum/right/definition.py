"""The definition: every combination of indices, one after the other."""

import itertools

import numpy as np


def einsum_vjp(g, spec, *operands):
    inputs, _, output = spec.partition("->")
    terms = inputs.split(",")
    size = {}
    for term, x in zip(terms, operands):
        size.update(zip(term, x.shape))
    gradients = [np.zeros(x.shape) for x in operands]
    for combination in itertools.product(*(range(n) for n in size.values())):
        at = dict(zip(size, combination))
        places = [tuple(at[letter] for letter in term) for term in terms]
        upstream = g[tuple(at[letter] for letter in output)]
        for n, place in enumerate(places):
            product = upstream
            for m, x in enumerate(operands):
                if m != n:
                    product = product * x[places[m]]
            gradients[n][place] += product
    return tuple(gradients)
