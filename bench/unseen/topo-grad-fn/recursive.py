# Mistake: the depth-first search is recursive
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
    return order[::-1]
