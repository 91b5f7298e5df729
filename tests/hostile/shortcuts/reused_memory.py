# memory that something else has just left
import numpy as np


def found(zeros, name, arguments):
    return np.empty(zeros.shape)
