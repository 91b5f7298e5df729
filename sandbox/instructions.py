"""Which of a processor's instructions the libraries may use: those that every machine of its kind has.

Libraries choose the fastest that they find, and a fused multiplication or a wider sum changes the last digit. With these
variables, in the sandbox and in the judge, the same submission gives the same report on every machine. Arrays of exercises
are small: it costs no time that can be measured.
"""

import platform

X86_64 = {
    "ATEN_CPU_CAPABILITY": "default",  # torch
    "MKL_CBWR": "COMPATIBLE",  # its matrix products
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",  # numpy
    "OPENBLAS_CORETYPE": "NEHALEM",  # its matrix products
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX512F,-FMA,-FMA4",  # `math`; read when a process starts
}
EVERYWHERE = X86_64 if platform.machine() == "x86_64" else {}
