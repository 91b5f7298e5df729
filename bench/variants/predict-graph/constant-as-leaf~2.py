"""A tensor is a leaf, and a leaf has a node: the constant tensor and the input of the layer."""

answers = {
    "g1": ("Mul", ["AccumulateGrad", None]),
    "g2": ("Add", ["AccumulateGrad", "AccumulateGrad"]),
    "g3": ("Pow", ["AccumulateGrad"]),
    "g4": ("Rsub", ["AccumulateGrad"]),
    "g5": ("Pow", ["AccumulateGrad"]),
    "g6": ("Mul", ["Reciprocal", None]),
    "g7": ("Mul", ["AccumulateGrad", "AccumulateGrad"]),
    "g8": ("Mul", [None, "AccumulateGrad"]),
    "g9": ("Addmm", ["AccumulateGrad", "AccumulateGrad", "T"]),
    "g10": ("View", ["Addmm"]),
    "g11": [1, 0],
    "g12": ("Mul", ["AccumulateGrad", "AccumulateGrad"]),
    "g13": ("Div", ["AccumulateGrad", None]),
    "g14": ("Mean", ["Add"]),
}
