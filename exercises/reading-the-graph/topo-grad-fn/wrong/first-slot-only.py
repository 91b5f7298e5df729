"""Follows next_functions[0][0] from node to node, as one does at the prompt."""


def topo(out):
    order = []
    fn = out.grad_fn
    while fn is not None:
        order.append(fn)
        fn = fn.next_functions[0][0] if fn.next_functions else None
    return order
