"""The weight is thought to be an argument itself."""

answers = {
    "g1": ("MulBackward0", ["AccumulateGrad", None]),
    "g2": ("AddBackward0", ["AccumulateGrad", "AccumulateGrad"]),
    "g3": ("PowBackward0", ["AccumulateGrad"]),
    "g4": ("RsubBackward1", ["AccumulateGrad"]),
    "g5": ("PowBackward2", ["AccumulateGrad"]),
    "g6": ("MulBackward0", ["ReciprocalBackward0", None]),
    "g7": ("MulBackward0", ["AccumulateGrad", None]),
    "g8": ("MulBackward0", [None, "AccumulateGrad"]),
    "g9": ("AddmmBackward0", ["AccumulateGrad", None, "AccumulateGrad"]),
    "g10": ("ViewBackward0", ["AddmmBackward0"]),
    "g11": [1, 0],
    "g12": ("MulBackward0", ["AccumulateGrad", "AccumulateGrad"]),
    "g13": ("DivBackward0", ["AccumulateGrad", None]),
    "g14": ("MeanBackward0", ["AddBackward0"]),
}
