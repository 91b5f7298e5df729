import torch


class Cubic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            point = x if x.requires_grad else x.detach().requires_grad_()
            (gradient,) = torch.autograd.grad(point**3, point, grad_output, create_graph=True)
        return gradient
