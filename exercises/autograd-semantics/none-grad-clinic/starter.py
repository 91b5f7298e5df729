import torch


def clinic_1(data):                 # w = data; loss = sum(w**2)
    w = torch.tensor(data)
    loss = (w ** 2).sum()
    loss.backward()
    return w.grad


def clinic_2(data):                 # w = 0.5 * data; loss = sum(w**3); gradient with respect to w
    w = torch.tensor(data, requires_grad=True) * 0.5
    loss = (w ** 3).sum()
    loss.backward()
    return w.grad


def clinic_3(w):                    # loss = sum(exp(w) * w)
    with torch.no_grad():
        h = w.exp()
    loss = (h * w).sum()
    loss.backward()
    return w.grad


def clinic_4(w):                    # loss = sum((3w)**2)
    h = torch.tensor((w * 3).tolist())
    loss = (h ** 2).sum()
    loss.backward()
    return w.grad


def clinic_5(w):                    # loss = sum(sin(w)**2) + sum(w)
    h = w.sin().detach()
    loss = (h * h).sum() + w.sum()
    loss.backward()
    return w.grad


def clinic_6(w, u):                 # loss = sum(2w); gradients with respect to w and u
    loss = (2 * w).sum()
    loss.backward()
    return w.grad, u.grad
