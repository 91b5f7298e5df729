# Held out. Mistake: Sorts the functions by their shortest distance from the output (breadth-first levels), so a shared function can come before a distant consumer
# True: bfs-order
def topo(out):
    if out.grad_fn is None:
        return []
    level = {out.grad_fn: 0}
    frontier = [out.grad_fn]
    depth = 0
    while frontier:
        depth += 1
        following = []
        for fn in frontier:
            for nxt, _ in fn.next_functions:
                if nxt is not None and nxt not in level:
                    level[nxt] = depth
                    following.append(nxt)
        frontier = following
    return sorted(level, key=level.get)
