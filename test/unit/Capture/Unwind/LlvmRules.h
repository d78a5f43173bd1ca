// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM reads out of .eh_frame.
//
// The rules of our unwinder, made a second time from what LLVM's reader of
// DWARF says, to be compared with.

#ifndef MEMKIT_TEST_UNIT_UNWIND_LLVMRULES_H
#define MEMKIT_TEST_UNIT_UNWIND_LLVMRULES_H

#include "Unwind/Rule.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugFrame.h"
#include <optional>

namespace memkit::test {

/// The rule for \p Row of a function, whose CIE marks it as a signal's frame or
/// does not.
capture::Rule ruleOf(const llvm::dwarf::UnwindRow &Row, bool SignalFrame);

/// The step of \p Row, with \p Word as the words of memory.
capture::StepResult stepOf(const llvm::dwarf::UnwindRow &Row, bool SignalFrame,
                           uint64_t (*Word)(uint64_t Address),
                           capture::Registers &Regs);

} // namespace memkit::test

#endif // MEMKIT_TEST_UNIT_UNWIND_LLVMRULES_H
