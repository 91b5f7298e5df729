"""The position of the slot in place of the output number."""

answers = {
    "g1": ("Mul", ["AccumulateGrad", None]),
    "g2": ("Add", ["AccumulateGrad", "AccumulateGrad"]),
    "g3": ("Pow", ["AccumulateGrad"]),
    "g4": ("Rsub", ["AccumulateGrad"]),
    "g5": ("Pow", ["AccumulateGrad"]),
    "g6": ("Mul", ["Reciprocal", None]),
    "g7": ("Mul", ["AccumulateGrad", None]),
    "g8": ("Mul", [None, "AccumulateGrad"]),
    "g9": ("Addmm", ["AccumulateGrad", None, "T"]),
    "g10": ("View", ["Addmm"]),
    "g11": [0, 1],
    "g12": ("Mul", ["AccumulateGrad", "AccumulateGrad"]),
    "g13": ("Div", ["AccumulateGrad", None]),
    "g14": ("Mean", ["Add"]),
}
