"""1 - x is Sub and 1 / x is Div; a number has no slot."""

answers = {
    "g1": ("Mul", ["AccumulateGrad", None]),
    "g2": ("Add", ["AccumulateGrad", "AccumulateGrad"]),
    "g3": ("Pow", ["AccumulateGrad"]),
    "g4": ("Sub", ["AccumulateGrad"]),
    "g5": ("Pow", ["AccumulateGrad"]),
    "g6": ("Div", ["AccumulateGrad"]),
    "g7": ("Mul", ["AccumulateGrad", None]),
    "g8": ("Mul", [None, "AccumulateGrad"]),
    "g9": ("Addmm", ["AccumulateGrad", None, "T"]),
    "g10": ("View", ["Addmm"]),
    "g11": [1, 0],
    "g12": ("Mul", ["AccumulateGrad", "AccumulateGrad"]),
    "g13": ("Div", ["AccumulateGrad", None]),
    "g14": ("Mean", ["Add"]),
}
