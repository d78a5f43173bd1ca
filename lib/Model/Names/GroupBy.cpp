// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memory is grouped by, with its words.

#include "memkit/Model/GroupBy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

StringRef groupWord(GroupBy By) {
  static constexpr StringLiteral Words[] = {
      "stack",    "layer", "operator", "scope",    "scope-path",
      "function", "file",  "binary",   "thread",   "heap",
      "size",     "step",  "mixed",    "category", "dtype",
      "library",  "line",  "process",  "rank"};
  static_assert(std::size(Words) == NumGroupBys);
  return Words[size_t(By)];
}

std::optional<GroupBy> groupOf(StringRef Word, ArrayRef<GroupBy> Known) {
  const auto *At =
      find_if(Known, [&](GroupBy By) { return groupWord(By) == Word; });
  return At == Known.end() ? std::nullopt : std::optional(*At);
}

std::string groupWords(ArrayRef<GroupBy> Known) {
  return join(map_range(Known, groupWord), ", ");
}

} // namespace memkit
