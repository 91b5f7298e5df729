"""Takes the first slot that is not empty and forgets that there are others."""


def topo(out):
    order = []
    fn = out.grad_fn
    while fn is not None:
        order.append(fn)
        filled = [child for child, _ in fn.next_functions if child is not None]
        fn = filled[0] if filled else None
    return order
