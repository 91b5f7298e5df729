# TODO(author): the same answers, found in a different way
"""Computes the slope as a difference quotient, which is exact for a parabola up to rounding, and counts the paths."""


def f(a, b):
    return (a + b) * b


graph = {"f": ["sum", "b"], "sum": ["a", "b"], "a": [], "b": []}


def paths(node):
    return 1 if node == "b" else sum(map(paths, graph[node]))


one_pass = (f(2.0, 4.0) - f(2.0, 2.0)) / 2
answers = {"doubles": one_pass + one_pass == 2 * one_pass, "paths": paths("f"), "slope": one_pass}
