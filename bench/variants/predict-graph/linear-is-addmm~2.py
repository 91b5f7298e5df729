"""The View is thought to be in front: the input is reshaped, Addmm is the root."""

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
    "g10": ("Addmm", ["AccumulateGrad", "View", "T"]),
    "g11": [1, 0],
    "g12": ("Mul", ["AccumulateGrad", "AccumulateGrad"]),
    "g13": ("Div", ["AccumulateGrad", None]),
    "g14": ("Mean", ["Add"]),
}
