# Mistake: the portions are added up and differentiated once, after the last
# True: keeps-graphs
def accumulate_grads(mean_loss, X, Y, size):
    N = X.shape[0]
    total = 0
    for xb, yb in zip(X.split(size), Y.split(size)):
        total = total + mean_loss(xb, yb) * (xb.shape[0] / N)
    total.backward()
    return total.item()
