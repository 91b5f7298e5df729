# Mistake: empty slots are left out
# True: drops-none-slots
def graph(out):
    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}
    index = {out.grad_fn: 0}
    nodes, edges = [type(out.grad_fn).__name__], []
    todo = [out.grad_fn]
    while todo:
        fn = todo.pop()
        for slot, (nxt, nr) in enumerate(fn.next_functions):
            if nxt is None:
                continue
            if nxt not in index:
                index[nxt] = len(nodes)
                nodes.append(type(nxt).__name__)
                todo.append(nxt)
            edges.append((index[fn], slot, index[nxt], nr))
    return {"root": 0, "nodes": nodes, "edges": edges}
