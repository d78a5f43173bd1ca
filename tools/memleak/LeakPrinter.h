//===- LeakPrinter.h - A report of leaks as text and JSON -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_TOOLS_MEMLEAK_LEAKPRINTER_H
#define MEMKIT_TOOLS_MEMLEAK_LEAKPRINTER_H

#include "memkit/Analysis/Leaks.h"

namespace memkit {

/// For people. Most: how many findings; 0: all.
void printLeaks(llvm::raw_ostream &OS, const Trace &T, const LeakReport &R,
                uint64_t Most);

/// The machine interface: docs/CommandGuide/memleak.md.
void writeLeakJson(llvm::raw_ostream &OS, const Trace &T, const LeakReport &R,
                   uint64_t Most);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMLEAK_LEAKPRINTER_H
