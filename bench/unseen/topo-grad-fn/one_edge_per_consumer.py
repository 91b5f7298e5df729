# Held out. Mistake: a consumer counts once, but each of its slots is taken off
# True: consumers-miscounted
def topo(out):
    if out.grad_fn is None:
        return []
    consumers = {out.grad_fn: 0}
    stack, met = [out.grad_fn], {out.grad_fn}
    while stack:
        fn = stack.pop()
        for nxt in {f for f, _ in fn.next_functions if f is not None}:
            consumers[nxt] = consumers.get(nxt, 0) + 1
            if nxt not in met:
                met.add(nxt)
                stack.append(nxt)
    order, ready = [], [out.grad_fn]
    while ready:
        fn = ready.pop()
        order.append(fn)
        for nxt, _ in fn.next_functions:
            if nxt is not None:
                consumers[nxt] -= 1
                if consumers[nxt] == 0:
                    ready.append(nxt)
    return order
