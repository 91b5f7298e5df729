# TODO(author): one file for each mistake, named after it
"""The target moves towards the prediction, too."""


def pull(prediction, target):
    error = prediction - target
    return (error * error).mean()
