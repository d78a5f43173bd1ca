// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --check tells of Python.

#ifndef MEMKIT_TOOLS_MEMREC_PYTHONFACTS_H
#define MEMKIT_TOOLS_MEMREC_PYTHONFACTS_H

#include <string>

namespace memkit {

/// `python: /usr/bin/python3, CPython 3.11.2: torch 2.13.0, numpy 2.4`, of the
/// Python that a command would start; asks it, for at most 20 s. Without a
/// Python, or if it does not answer, a sentence that says so.
std::string pythonFacts();

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMREC_PYTHONFACTS_H
