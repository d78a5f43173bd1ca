// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The changes of a process's scopes, in order of time.

#include "ScopeTimeCursor.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

bool hasScopeTimes(const Trace &T, uint32_t Process) {
  return any_of(T.reader().sections(), [&](const SectionInfo &B) {
    return B.Kind == SectionKind::ScopeTimes &&
           (!Process || B.Process == Process);
  });
}

Expected<const ScopeChange *> ScopeTimeCursor::peek() {
  ArrayRef<SectionInfo> Sections = T.reader().sections();
  while (At == Changes.size()) {
    while (Section != Sections.size() &&
           (Sections[Section].Kind != SectionKind::ScopeTimes ||
            Sections[Section].Process != Process))
      ++Section;
    if (Section == Sections.size())
      return nullptr;
    const SectionInfo &B = Sections[Section++];
    ScopeTimes Read;
    if (Error E = T.reader().read(B, Read))
      return std::move(E);
    if (std::string Wrong = T.limits().check(Read); !Wrong.empty())
      return makeTraceError(T.name(), B.Offset, Wrong);
    Changes = changesOf(Read);
    At = 0;
  }
  return &Changes[At];
}

} // namespace memkit
