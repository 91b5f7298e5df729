"""Constants are taken for leaves that accumulate a gradient."""

answers = {
    "g1": ("MulBackward0", ["AccumulateGrad", "AccumulateGrad"]),
    "g2": ("AddBackward0", ["AccumulateGrad", "AccumulateGrad"]),
    "g3": ("PowBackward0", ["AccumulateGrad"]),
    "g4": ("RsubBackward1", ["AccumulateGrad"]),
    "g5": ("PowBackward2", ["AccumulateGrad"]),
    "g6": ("MulBackward0", ["ReciprocalBackward0", "AccumulateGrad"]),
    "g7": ("MulBackward0", ["AccumulateGrad", "AccumulateGrad"]),
    "g8": ("MulBackward0", [None, "AccumulateGrad"]),
    "g9": ("AddmmBackward0", ["AccumulateGrad", "AccumulateGrad", "TBackward0"]),
    "g10": ("ViewBackward0", ["AddmmBackward0"]),
    "g11": [1, 0],
    "g12": ("MulBackward0", ["AccumulateGrad", "AccumulateGrad"]),
    "g13": ("DivBackward0", ["AccumulateGrad", "AccumulateGrad"]),
    "g14": ("MeanBackward0", ["AddBackward0"]),
}
