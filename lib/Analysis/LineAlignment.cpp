// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs the lines of two versions of a function.

#include "LineAlignment.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

namespace {
using Matches = std::vector<std::optional<uint32_t>>;

class Aligner {
public:
  Aligner(ArrayRef<FunctionLine> Old, ArrayRef<FunctionLine> New)
      : Old(Old), New(New), Of(Old.size()) {}
  Matches run();

private:
  bool areSame(const FunctionLine &A, const FunctionLine &B) const;
  void findCommon();
  void fillGaps();

  ArrayRef<FunctionLine> Old, New;
  bool HasText = false;
  Matches Of;
};
} // namespace

bool Aligner::areSame(const FunctionLine &A, const FunctionLine &B) const {
  return HasText ? !A.Source.empty() && A.Source == B.Source : A.Line == B.Line;
}

/// Finds the longest common subsequence.
void Aligner::findCommon() {
  // The table has a cell for each pair of lines.
  constexpr size_t MaxCells = 4'000'000;
  size_t Rows = Old.size() + 1, Columns = New.size() + 1;
  if (Rows * Columns > MaxCells)
    return;
  std::vector<uint32_t> Length(Rows * Columns);
  auto At = [&](size_t I, size_t J) -> uint32_t & {
    return Length[I * Columns + J];
  };
  for (size_t I = Old.size(); I-- != 0;)
    for (size_t J = New.size(); J-- != 0;)
      At(I, J) = areSame(Old[I], New[J]) ? At(I + 1, J + 1) + 1
                                         : std::max(At(I + 1, J), At(I, J + 1));
  for (size_t I = 0, J = 0; I != Old.size() && J != New.size();) {
    if (areSame(Old[I], New[J]))
      Of[I++] = J++;
    else if (At(I + 1, J) >= At(I, J + 1))
      ++I;
    else
      ++J;
  }
}

void Aligner::fillGaps() {
  size_t NextNew = 0;
  for (size_t I = 0; I != Old.size();) {
    if (Of[I]) {
      NextNew = *Of[I++] + 1;
      continue;
    }
    size_t End = I;
    while (End != Old.size() && !Of[End])
      ++End;
    size_t EndNew = End == Old.size() ? New.size() : *Of[End];
    if (End - I == EndNew - NextNew)
      for (; I != End; ++I)
        Of[I] = NextNew++;
    I = End;
  }
}

Matches Aligner::run() {
  auto HasSource = [](const FunctionLine &L) { return !L.Source.empty(); };
  HasText = any_of(Old, HasSource) && any_of(New, HasSource);
  // Without text, as many lines as before are taken for the same lines: code
  // above them may have moved them all.
  if (HasText || Old.size() != New.size())
    findCommon();
  fillGaps();
  return std::move(Of);
}

std::vector<std::optional<uint32_t>> alignLines(ArrayRef<FunctionLine> Old,
                                                ArrayRef<FunctionLine> New) {
  return Aligner(Old, New).run();
}

} // namespace memkit
