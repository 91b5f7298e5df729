"""Postorder with a stack of iterators: leaves get the lowest numbers and the root the highest."""


def graph(out):
    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}

    entered = {out.grad_fn}
    finished = {}
    path = [(out.grad_fn, iter(out.grad_fn.next_functions))]
    while path:
        fn, remaining = path[-1]
        for target, _ in remaining:
            if target is not None and target not in entered:
                entered.add(target)
                path.append((target, iter(target.next_functions)))
                break
        else:
            finished[fn] = len(finished)
            path.pop()

    edges = []
    for fn, source in finished.items():
        for slot, (target, output_number) in enumerate(fn.next_functions):
            edges.append((source, slot, finished.get(target), output_number if target is not None else 0))
    return {
        "root": len(finished) - 1,
        "nodes": [type(fn).__name__ for fn in finished],
        "edges": edges,
    }
