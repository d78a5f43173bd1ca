// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of Python that hold the blocks which the page shows.

#include "HeldNames.h"
#include "Report/HolderSentences.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

HeldNames::HeldNames(const Trace &T, const Places &Where, HeldBlocks From)
    : T(T), Found(std::move(From)) {
  if (empty())
    return;
  std::vector<std::vector<HeldBlock>> Of(Where.size());
  for (const HeldBlock &B : Found.Blocks)
    Of[Where.of(B.Stack)].push_back(B);
  ByPlace.resize(Where.size());
  for (uint32_t Id = 0; Id != Of.size(); ++Id) {
    if (Of[Id].empty())
      continue;
    ByPlace[Id] = holdersText(commonPaths(T, Of[Id]));
    const Place &P = Where.place(Id);
    if (P.Kind == PlaceKind::Line)
      PlaceOfLine[{P.File, P.Line}] = Id;
  }
}

StringRef HeldNames::ofPlace(uint32_t Place) const {
  return empty() ? StringRef() : StringRef(ByPlace[Place]);
}

StringRef HeldNames::ofLine(StringRef File, uint32_t Line) const {
  auto At = PlaceOfLine.find({File, Line});
  return At == PlaceOfLine.end() ? StringRef() : ofPlace(At->second);
}

std::string HeldNames::ofBlock(uint32_t Process, uint32_t Heap,
                               uint64_t AllocationId) const {
  auto Key = std::make_tuple(Process, Heap, AllocationId);
  auto KeyOf = [](const HeldBlock &B) {
    return std::make_tuple(B.Process, B.Heap, B.Id);
  };
  // Sorted by the key.
  auto At = partition_point(Found.Blocks,
                            [&](const HeldBlock &B) { return KeyOf(B) < Key; });
  if (At == Found.Blocks.end() || KeyOf(*At) != Key)
    return "";
  HeldPath Path;
  Path.Path = T.string(At->Name).str();
  Path.Bits = At->Bits;
  return heldByText(Path);
}

} // namespace memkit
