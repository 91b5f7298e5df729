# t1 to t16: (is_leaf, requires_grad, grad_fn is None), where w = torch.ones(3, requires_grad=True)
# t17 to t19: "none", "zeros" or "other"
answers = {
    "t1": None,  # torch.ones(3)
    "t2": None,  # torch.ones(3, requires_grad=True)
    "t3": None,  # torch.ones(3, requires_grad=True) * 0.1
    "t4": None,  # (torch.ones(3) * 0.1).requires_grad_()
    "t5": None,  # nn.Parameter(torch.ones(3))
    "t6": None,  # nn.Parameter(torch.ones(3)).double()
    "t7": None,  # w.detach()
    "t8": None,  # w * 2 inside torch.no_grad()
    "t9": None,  # torch.tensor([1, 2])
    "t10": None,  # w.detach().requires_grad_()
    "t11": None,  # w.to(torch.float32)
    "t12": None,  # w.clone()
    "t13": None,  # torch.ones(3, requires_grad=True) inside torch.no_grad()
    "t14": None,  # w > 0
    "t15": None,  # w[0]
    "t16": None,  # w.data
    "t17": None,  # w.grad right after w was created
    "t18": None,  # h.grad after h = w * 2; h.sum().backward()
    "t19": None,  # w.grad after the same lines and optimiser.zero_grad(set_to_none=False)
}
