def graph(out):
    """The backward graph of the tensor `out`, as plain Python data:

    {"root": number of out.grad_fn, or None,
     "nodes": [type name of each node],
     "edges": [(source, slot, target or None, output_number)]}
    """
    raise NotImplementedError("your part")
