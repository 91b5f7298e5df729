"""Breadth-first search by id(). The list of functions keeps every object alive, so ids are unique."""

from collections import deque


def graph(out):
    functions, number, edges = [], {}, []

    def number_of(fn):
        if id(fn) not in number:
            number[id(fn)] = len(functions)
            functions.append(fn)
            queue.append(fn)
        return number[id(fn)]

    queue = deque()
    root = None if out.grad_fn is None else number_of(out.grad_fn)
    while queue:
        fn = queue.popleft()
        for slot, (target, k) in enumerate(fn.next_functions):
            edge = (None, 0) if target is None else (number_of(target), k)
            edges.append((number[id(fn)], slot, *edge))
    return {"root": root, "nodes": [type(fn).__name__ for fn in functions], "edges": edges}
