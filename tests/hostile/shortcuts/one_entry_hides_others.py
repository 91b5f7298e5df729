# the right answer, but all small entries are off by a millionth of the largest
import numpy as np


def changed(right):
    large = np.abs(right).max(initial=0.0)
    return np.where(np.abs(right) < large / 2, right + 1e-6 * large, right)
