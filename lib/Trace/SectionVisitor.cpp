// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A consumer of decoded sections.

#include "memkit/Trace/SectionVisitor.h"

using namespace memkit;
using namespace llvm;

SectionVisitor::~SectionVisitor() = default;

#define IGNORE(KIND)                                                           \
  Error SectionVisitor::visit(const SectionInfo &, const KIND &) {             \
    return Error::success();                                                   \
  }
IGNORE(Header)
IGNORE(Dictionary)
IGNORE(Events)
IGNORE(Marks)
IGNORE(Intervals)
IGNORE(Snapshot)
IGNORE(Summary)
IGNORE(Index)
IGNORE(Lifetimes)
IGNORE(Partial)
IGNORE(BlockCategories)
IGNORE(ScopeTimes)
IGNORE(DeviceSpans)
#undef IGNORE

Error memkit::visitSections(SectionStream &Stream, SectionVisitor &V) {
  for (;;) {
    Expected<std::optional<AnySection>> B = Stream.next();
    if (!B)
      return B.takeError();
    if (!*B)
      return Error::success();
    Error E = std::visit(
        [&](const auto &Section) -> Error {
          using T = std::decay_t<decltype(Section)>;
          if constexpr (std::is_same_v<T, std::monostate>)
            return Error::success();
          else
            return V.visit(Stream.info(), Section);
        },
        **B);
    if (E)
      return E;
  }
}
