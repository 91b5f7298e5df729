"""Restricts numerical libraries to the processor instructions that every machine of the architecture has.

Libraries choose the fastest instructions available, and a fused multiply-add or a wider sum changes the last digit. With
these variables, in the sandbox and in the judge, the same submission gives the same report on every machine. The arrays of
exercises are small, so the cost is not measurable.
"""

import platform

X86_64 = {
    "ATEN_CPU_CAPABILITY": "default",  # torch
    "MKL_CBWR": "COMPATIBLE",  # matrix products of torch
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",  # numpy
    "OPENBLAS_CORETYPE": "NEHALEM",  # matrix products of numpy
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX512F,-FMA,-FMA4",  # the `math` module; read when a process starts
}
EVERYWHERE = X86_64 if platform.machine() == "x86_64" else {}
