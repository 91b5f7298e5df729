"""The slots of a linear layer are written in the order input, weight, bias, and the transpose of the weight is
forgotten.
"""

answers = {}


def put(key, root, *slots):
    answers[key] = (root, list(slots))


LEAF = "torch::autograd::AccumulateGrad"
put("g1", "MulBackward0", LEAF, None)
put("g2", "AddBackward0", LEAF, LEAF)
put("g3", "PowBackward0", LEAF)
put("g4", "RsubBackward1", LEAF)
put("g5", "PowBackward2", LEAF)
put("g6", "MulBackward0", "ReciprocalBackward0", None)
put("g7", "MulBackward0", LEAF, None)
put("g8", "MulBackward0", None, LEAF)
put("g9", "AddmmBackward0", None, LEAF, LEAF)
put("g10", "ViewBackward0", "AddmmBackward0")
put("g12", "MulBackward0", LEAF, LEAF)
put("g13", "DivBackward0", LEAF, None)
put("g14", "MeanBackward0", "AddBackward0")
answers["g11"] = [1, 0]
