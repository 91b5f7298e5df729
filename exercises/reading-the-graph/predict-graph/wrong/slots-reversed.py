"""The slots are listed from the last argument to the first."""

answers = {
    "g1": ["Mul", (None, "AccumulateGrad")],
    "g2": ["Add", ("AccumulateGrad", "AccumulateGrad")],
    "g3": ["Pow", ("AccumulateGrad",)],
    "g4": ["Rsub", ("AccumulateGrad",)],
    "g5": ["Pow", ("AccumulateGrad",)],
    "g6": ["Mul", (None, "Reciprocal")],
    "g7": ["Mul", (None, "AccumulateGrad")],
    "g8": ["Mul", ("AccumulateGrad", None)],
    "g9": ["Addmm", ("T", None, "AccumulateGrad")],
    "g10": ["View", ("Addmm",)],
    "g11": [1, 0],
    "g12": ["Mul", ("AccumulateGrad", "AccumulateGrad")],
    "g13": ["Div", (None, "AccumulateGrad")],
    "g14": ["Mean", ("Add",)],
}
