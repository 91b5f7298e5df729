# Mistake: source and target of an edge are exchanged
# True: edges-reversed
def graph(out):
    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}
    number = {out.grad_fn: 0}
    todo = [out.grad_fn]
    edges = []
    while todo:
        fn = todo.pop()
        for slot, (target, nr) in enumerate(fn.next_functions):
            if target is None:
                edges.append((number[fn], slot, None, 0))
                continue
            if target not in number:
                number[target] = len(number)
                todo.append(target)
            edges.append((number[target], slot, number[fn], nr))
    return {"root": 0, "nodes": [type(fn).__name__ for fn in number], "edges": edges}
