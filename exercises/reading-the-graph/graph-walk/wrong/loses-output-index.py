"""The second entry of each pair is thrown away and 0 is written in its place."""


def graph(out):
    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}
    numbers = {out.grad_fn: 0}
    edges = []
    stack = [out.grad_fn]
    while stack:
        fn = stack.pop()
        for slot, (child, _) in enumerate(fn.next_functions):
            if child is None:
                edges.append((numbers[fn], slot, None, 0))
                continue
            if child not in numbers:
                numbers[child] = len(numbers)
                stack.append(child)
            edges.append((numbers[fn], slot, numbers[child], 0))
    return {"root": 0, "nodes": [type(fn).__name__ for fn in numbers], "edges": edges}
