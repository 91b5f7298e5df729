from .ops_mathematic import *
from .ops_tuple import *
