# Held out. Mistake: a depth-first walk with a stack lists functions in the order they are taken off it, which need not wait for all consumers
# True: preorder-dfs
def topo(out):
    order = []
    if out.grad_fn is not None:
        seen = {out.grad_fn}
        stack = [out.grad_fn]
        while stack:
            fn = stack.pop()
            order.append(fn)             # a function comes before everything found through it
            for nxt, _slot in fn.next_functions:
                if nxt is None or nxt in seen:
                    continue
                seen.add(nxt)
                stack.append(nxt)
    return order
