import torch


def train(model, batches, epochs, lr):
    """Plain gradient descent on the mean squared error. Return the mean loss of every epoch."""
    raise NotImplementedError("your part")
