"""A product with itself is thought to be recorded as a power."""

LEAF = "AccumulateGrad"

answers = {
    "g1": ("MulBackward0", [LEAF, None]),
    "g2": ("AddBackward0", [LEAF, LEAF]),
    "g3": ("PowBackward0", [LEAF]),
    "g4": ("RsubBackward1", [LEAF]),
    "g5": ("PowBackward2", [LEAF]),
    "g6": ("MulBackward0", ["ReciprocalBackward0", None]),
    "g7": ("MulBackward0", [LEAF, None]),
    "g8": ("MulBackward0", [None, LEAF]),
    "g9": ("AddmmBackward0", [LEAF, None, "TBackward0"]),
    "g10": ("ViewBackward0", ["AddmmBackward0"]),
    "g11": [1, 0],
    "g12": ("PowBackward0", [LEAF]),
    "g13": ("DivBackward0", [LEAF, None]),
    "g14": ("MeanBackward0", ["AddBackward0"]),
}
