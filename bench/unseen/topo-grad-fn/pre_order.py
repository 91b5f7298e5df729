# Mistake: the functions are listed when they are met, depth first
# True: preorder-dfs
def topo(out):
    if out.grad_fn is None:
        return []
    stack, seen, order = [out.grad_fn], set(), []
    while stack:
        fn = stack.pop()
        if fn in seen:
            continue
        seen.add(fn)
        order.append(fn)
        for nxt, _ in reversed(fn.next_functions):
            if nxt is not None:
                stack.append(nxt)
    return order
