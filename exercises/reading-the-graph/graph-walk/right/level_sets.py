"""Collect the functions level by level, number them by name, then list the edges."""


def graph(out):
    known = {}  # a dict serves as an ordered set
    frontier = {out.grad_fn: None}
    while frontier:
        frontier.pop(None, None)
        known.update(frontier)
        below = [target for fn in frontier for target, _ in fn.next_functions]
        frontier = {fn: None for fn in below if fn not in known}

    functions = sorted(known, key=lambda fn: type(fn).__name__)
    number = {fn: i for i, fn in enumerate(functions)}
    number[None] = None
    return {
        "root": number[out.grad_fn],
        "nodes": [type(fn).__name__ for fn in functions],
        "edges": [
            (number[fn], slot, number[target], output_number if target else 0)
            for fn in functions
            for slot, (target, output_number) in enumerate(fn.next_functions)
        ],
    }
