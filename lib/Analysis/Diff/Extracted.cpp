// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of functions that were extracted from a line.

#include "Extracted.h"
#include "llvm/ADT/BitVector.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

namespace {
/// Finds the places of the stacks of a run.
class ExtractedFinder {
public:
  ExtractedFinder(const DiffRuns &Runs, ArrayRef<SamePlaces> Same,
                  ArrayRef<std::vector<uint64_t>> Bytes);
  std::vector<uint32_t> run(size_t R, const Trace &T, const Places &Where,
                            const OwnLines &Lines) const;

private:
  /// What a group has; groups are numbered 0 and 1.
  struct GroupLines {
    BitVector Functions;       ///< by the number of the function
    std::vector<double> Bytes; ///< by the number of the place, on average
  };
  void add(GroupLines &To, const SamePlaces &Of, ArrayRef<uint64_t> Bytes,
           double Share) const;
  const GroupLines &mine(size_t R) const { return Groups[Runs.isAfter(R)]; }
  const GroupLines &other(size_t R) const { return Groups[!Runs.isAfter(R)]; }
  bool isExtracted(size_t R, uint32_t Place) const {
    return !other(R).Bytes[Same[R].Numbers[Place]] &&
           !other(R).Functions[Same[R].Functions[Place]];
  }
  bool isEmptied(size_t R, uint32_t Line) const;
  uint32_t placeOf(size_t R, const OwnLines &Lines, uint32_t Stack,
                   uint32_t Place) const;

  const DiffRuns &Runs;
  ArrayRef<SamePlaces> Same;
  GroupLines Groups[2];
};
} // namespace

ExtractedFinder::ExtractedFinder(const DiffRuns &Runs,
                                 ArrayRef<SamePlaces> Same,
                                 ArrayRef<std::vector<uint64_t>> Bytes)
    : Runs(Runs), Same(Same) {
  uint32_t Numbers = 0, Functions = 0;
  for (const SamePlaces &Of : Same)
    for (size_t Id = 0; Id != Of.Numbers.size(); ++Id) {
      Numbers = std::max(Numbers, Of.Numbers[Id] + 1);
      Functions = std::max(Functions, Of.Functions[Id] + 1);
    }
  for (GroupLines &Of : Groups) {
    Of.Functions.resize(Functions);
    Of.Bytes.resize(Numbers);
  }
  size_t Sizes[] = {Runs.numBefore(), Runs.size() - Runs.numBefore()};
  for (size_t R = 0; R != Same.size(); ++R)
    add(Groups[Runs.isAfter(R)], Same[R], Bytes[R],
        1 / double(Sizes[Runs.isAfter(R)]));
}

void ExtractedFinder::add(GroupLines &To, const SamePlaces &Of,
                          ArrayRef<uint64_t> Bytes, double Share) const {
  for (size_t Id = 0; Id != Of.Numbers.size(); ++Id) {
    To.Functions.set(Of.Functions[Id]);
    To.Bytes[Of.Numbers[Id]] += double(Bytes[Id]) * Share;
  }
}

/// Whether the line allocates in the other group, and next to nothing in the
/// group of run R.
bool ExtractedFinder::isEmptied(size_t R, uint32_t Line) const {
  constexpr double MaxShare = 0.1;
  uint32_t Number = Same[R].Numbers[Line];
  double Other = other(R).Bytes[Number];
  return Other > 0 && mine(R).Bytes[Number] <= Other * MaxShare;
}

/// The line that calls the extracted function of Place, or Place.
uint32_t ExtractedFinder::placeOf(size_t R, const OwnLines &Lines,
                                  uint32_t Stack, uint32_t Place) const {
  // A recursion may have a stack of each depth; a helper is called from near.
  constexpr unsigned MaxLines = 256;
  uint32_t Out = Place;
  bool IsCaller = false;
  unsigned Count = 0;
  Lines.findLine(Stack, [&](uint32_t Line) {
    if (++Count > MaxLines)
      return true;
    IsCaller |= Line == Place;
    if (!IsCaller || !other(R).Functions[Same[R].Functions[Line]])
      return false;
    if (isEmptied(R, Line))
      Out = Line;
    return true;
  });
  return Out;
}

std::vector<uint32_t> ExtractedFinder::run(size_t R, const Trace &T,
                                           const Places &Where,
                                           const OwnLines &Lines) const {
  std::vector<uint32_t> Out(T.numStacks() + 1);
  bool HasOther = false;
  for (uint32_t Stack = 0; Stack != Out.size(); ++Stack) {
    uint32_t Place = Where.steadyOf(Stack);
    Out[Stack] = Place;
    if (Where.place(Place).Kind != PlaceKind::Line || !isExtracted(R, Place))
      continue;
    Out[Stack] = placeOf(R, Lines, Stack, Place);
    HasOther |= Out[Stack] != Place;
  }
  return HasOther ? Out : std::vector<uint32_t>();
}

std::vector<std::vector<uint32_t>>
placesOfExtracted(const DiffRuns &Runs, ArrayRef<Places> Where,
                  ArrayRef<std::optional<OwnLines>> Lines,
                  ArrayRef<SamePlaces> Same,
                  ArrayRef<std::vector<uint64_t>> Bytes) {
  ExtractedFinder Finder(Runs, Same, Bytes);
  std::vector<std::vector<uint32_t>> Out(Runs.size());
  Runs.forEachRun([&](size_t R) {
    Out[R] = Finder.run(R, Runs.trace(R), Where[R], *Lines[R]);
  });
  return Out;
}

} // namespace memkit
