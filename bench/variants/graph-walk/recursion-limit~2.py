"""Nested generators, one per node on the way down: they hit the recursion limit as plain calls do."""


def graph(out):
    numbers = {}

    def edges_below(fn):
        numbers[fn] = len(numbers)
        for slot, (child, index) in enumerate(fn.next_functions):
            if child is None:
                yield numbers[fn], slot, None, 0
                continue
            if child not in numbers:
                yield from edges_below(child)
            yield numbers[fn], slot, numbers[child], index

    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}
    edges = list(edges_below(out.grad_fn))
    return {"root": 0, "nodes": [type(fn).__name__ for fn in numbers], "edges": edges}
