"""Only slots with a function are listed."""

answers = {
    "g1": ("Mul", ["AccumulateGrad"]),
    "g2": ("Add", ["AccumulateGrad", "AccumulateGrad"]),
    "g3": ("Pow", ["AccumulateGrad"]),
    "g4": ("Rsub", ["AccumulateGrad"]),
    "g5": ("Pow", ["AccumulateGrad"]),
    "g6": ("Mul", ["Reciprocal"]),
    "g7": ("Mul", ["AccumulateGrad"]),
    "g8": ("Mul", ["AccumulateGrad"]),
    "g9": ("Addmm", ["AccumulateGrad", "T"]),
    "g10": ("View", ["Addmm"]),
    "g11": [1, 0],
    "g12": ("Mul", ["AccumulateGrad", "AccumulateGrad"]),
    "g13": ("Div", ["AccumulateGrad"]),
    "g14": ("Mean", ["Add"]),
}
