import numpy
import numpy as array_api

from .backend_numpy import Device, all_devices, cpu, default_device

BACKEND = "np"
NDArray = numpy.ndarray
