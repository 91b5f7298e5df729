"""Short names, lists and tuples in any mixture."""

answers = dict(
    g1=["Mul", ("AccumulateGrad", None)],
    g2=["Add", ("AccumulateGrad", "AccumulateGrad")],
    g3=["Pow", ("AccumulateGrad",)],
    g4=("Rsub", ["AccumulateGrad"]),
    g5=("Pow", ["torch::autograd::AccumulateGrad"]),
    g6=("torch::autograd::generated::MulBackward0", ["ReciprocalBackward0", None]),
    g7=("MulBackward0", ("AccumulateGrad", None)),
    g8=("Mul", [None, "AccumulateGrad"]),
    g9=("Addmm", ["AccumulateGrad", None, "T"]),
    g10=("View", ["Addmm"]),
    g11=(1, 0),
    g12=("Mul", ["AccumulateGrad"] * 2),
    g13=("Div", ["AccumulateGrad", None]),
    g14=("Mean", ["Add"]),
)
