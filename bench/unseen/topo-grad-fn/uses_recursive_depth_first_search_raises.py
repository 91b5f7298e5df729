# Held out. Mistake: Uses a recursive depth-first search, which raises a RecursionError for graphs a thousand functions deep
# True: recursion-limit
def topo(out):
    order = []
    visited = set()

    def dfs(fn):
        if fn is None or fn in visited:
            return
        visited.add(fn)
        for child, _ in fn.next_functions:
            dfs(child)
        order.append(fn)

    dfs(out.grad_fn)
    order.reverse()
    return order
