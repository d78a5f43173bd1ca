# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stand-in of fake-jax.cpp, as Python imports a module: fake.load(PATH)."""

import ctypes


def load(path):
    library = ctypes.CDLL(path)
    library.PyInit__jax  # looked up by dlsym, as by the interpreter
    library.fake_run.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    library.fake_scratch.argtypes = [ctypes.c_size_t]
    library.fake_scratch.restype = ctypes.c_void_p
    return library
