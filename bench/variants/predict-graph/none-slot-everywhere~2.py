"""Every number leaves an empty slot, in the order of the arguments of the call."""

answers = {
    "g1": ["Mul", ("AccumulateGrad", None)],
    "g2": ["Add", ("AccumulateGrad", "AccumulateGrad")],
    "g3": ["Pow", ("AccumulateGrad", None)],
    "g4": ["Rsub", ("AccumulateGrad", None)],
    "g5": ["Pow", (None, "AccumulateGrad")],
    "g6": ["Mul", ("Reciprocal", None)],
    "g7": ["Mul", ("AccumulateGrad", None)],
    "g8": ["Mul", (None, "AccumulateGrad")],
    "g9": ["Addmm", ("AccumulateGrad", None, "T")],
    "g10": ["View", ("Addmm",)],
    "g11": [1, 0],
    "g12": ["Mul", ("AccumulateGrad", "AccumulateGrad")],
    "g13": ["Div", ("AccumulateGrad", None)],
    "g14": ["Mean", ("Add",)],
}
