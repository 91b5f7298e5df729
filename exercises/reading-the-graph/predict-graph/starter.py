# For each expression: (name of the root, [names of its next functions in order, None for an empty slot])
answers = {
    "g1": None,  # x * 2
    "g2": None,  # x + y
    "g3": None,  # x ** 2
    "g4": None,  # 1 - x
    "g5": None,  # 2 ** x
    "g6": None,  # 1 / x
    "g7": None,  # x * torch.tensor(2.0)
    "g8": None,  # x.detach() * y
    "g9": None,  # L(torch.rand(5, 3))
    "g10": None,  # L(torch.rand(3))
    "g11": None,  # b * a: the list of output numbers in next_functions
    "g12": None,  # x * x
    "g13": None,  # x / 2
    "g14": None,  # (x * y + 1).mean()
}
