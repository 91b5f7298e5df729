# Mistake: the walk is recursive and too deep
# True: recursion-limit
def graph(out):
    nodes, edges, number = [], [], {}

    def visit(fn):
        if fn in number:
            return number[fn]
        number[fn] = len(nodes)
        nodes.append(type(fn).__name__)
        for slot, (nxt, nr) in enumerate(fn.next_functions):
            if nxt is None:
                edges.append((number[fn], slot, None, 0))
            else:
                edges.append((number[fn], slot, visit(nxt), nr))
        return number[fn]

    root = visit(out.grad_fn) if out.grad_fn is not None else None
    return {"root": root, "nodes": nodes, "edges": edges}
