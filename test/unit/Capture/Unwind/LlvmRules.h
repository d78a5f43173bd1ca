// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unwind rules from LLVM's reader.
//
// Makes the unwinder's rules a second time from the output of LLVM's DWARF
// reader, for comparison.

#ifndef MEMKIT_TEST_UNIT_UNWIND_LLVMRULES_H
#define MEMKIT_TEST_UNIT_UNWIND_LLVMRULES_H

#include "Unwind/Rule.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugFrame.h"
#include <optional>

namespace memkit::test {

/// The rule for \p Row of a function. \p SignalFrame: the CIE marks signal
/// frames.
capture::Rule ruleOf(const llvm::dwarf::UnwindRow &Row, bool SignalFrame);

/// The step of \p Row. \p Word reads a word of memory.
capture::StepResult stepOf(const llvm::dwarf::UnwindRow &Row, bool SignalFrame,
                           uint64_t (*Word)(uint64_t Address),
                           capture::Registers &Regs);

} // namespace memkit::test

#endif // MEMKIT_TEST_UNIT_UNWIND_LLVMRULES_H
