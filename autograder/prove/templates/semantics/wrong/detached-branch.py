"""One factor of the square is detached, so half of the gradient is lost."""


def pull(prediction, target):
    error = prediction - target.detach()
    return (error * error.detach()).mean()
