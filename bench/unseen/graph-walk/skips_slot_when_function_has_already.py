# Held out. Mistake: Skips a slot when its function has already been visited, so only the first edge to a shared node is recorded
# True: drops-repeated-edges
def graph(out):
    fn0 = out.grad_fn
    if fn0 is None:
        return dict(root=None, nodes=[], edges=[])
    fns = [fn0]
    where = {fn0: 0}
    edges = []
    i = 0
    while i < len(fns):
        for slot, (nxt, nr) in enumerate(fns[i].next_functions):
            if nxt is None:
                edges.append((i, slot, None, 0))
            elif nxt in where:
                continue  # already visited
            else:
                where[nxt] = len(fns)
                fns.append(nxt)
                edges.append((i, slot, where[nxt], nr))
        i += 1
    return dict(root=0, nodes=[type(f).__name__ for f in fns], edges=edges)
