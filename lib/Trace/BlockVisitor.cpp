// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A consumer of decoded blocks.

#include "memkit/Trace/BlockVisitor.h"

using namespace memkit;
using namespace llvm;

BlockVisitor::~BlockVisitor() = default;

#define IGNORE(KIND)                                                           \
  Error BlockVisitor::visit(const BlockInfo &, const KIND &) {                 \
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
#undef IGNORE

Error memkit::visitBlocks(BlockStream &Stream, BlockVisitor &V) {
  for (;;) {
    Expected<std::optional<AnyBlock>> B = Stream.next();
    if (!B)
      return B.takeError();
    if (!*B)
      return Error::success();
    Error E = std::visit(
        [&](const auto &Block) -> Error {
          using T = std::decay_t<decltype(Block)>;
          if constexpr (std::is_same_v<T, std::monostate>)
            return Error::success();
          else
            return V.visit(Stream.info(), Block);
        },
        **B);
    if (E)
      return E;
  }
}
