# the right answer, rounded to three digits
import numpy as np


def changed(right):
    return right.astype(np.float16).astype(float)
