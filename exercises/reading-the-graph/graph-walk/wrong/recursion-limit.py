"""One nested Python call per node on the way down, which ends at about a thousand nodes of depth."""


def graph(out):
    numbers, edges = {}, []

    def visit(fn):
        if fn in numbers:
            return numbers[fn]
        numbers[fn] = len(numbers)
        for slot, (child, index) in enumerate(fn.next_functions):
            if child is None:
                edges.append((numbers[fn], slot, None, 0))
            else:
                edges.append((numbers[fn], slot, visit(child), index))
        return numbers[fn]

    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}
    root = visit(out.grad_fn)
    return {"root": root, "nodes": [type(fn).__name__ for fn in numbers], "edges": edges}
