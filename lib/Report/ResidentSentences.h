// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sentences about resident memory.

#ifndef MEMKIT_LIB_REPORT_RESIDENTSENTENCES_H
#define MEMKIT_LIB_REPORT_RESIDENTSENTENCES_H

#include "Report/PageInput.h"

namespace memkit {

/// `free memory in malloc`.
llvm::StringRef residentPartName(ResidentPart P);
/// The parts with bytes, the largest first.
std::vector<size_t> residentOrder(const ResidentSample &S);
/// The selected process with the most resident memory in a sample of its parts;
/// 0: no samples.
uint32_t residentProcess(const PageInput &F);

/// Where memory was swapped out, the own memory of the processes, resident or
/// not; else empty.
std::string ownText(const PageInput &F);
/// What resident memory consists of, as far as samples tell.
std::string residentText(const PageInput &F);
/// What may give freed memory back; empty: little is kept.
std::string keptAdvice(const PageInput &F);

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_RESIDENTSENTENCES_H
