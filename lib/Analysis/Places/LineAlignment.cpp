// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs the lines of two versions of a function.

#include "LineAlignment.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <iterator>
#include <set>

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
  void fillGap(size_t Begin, size_t End, size_t NewBegin, size_t NewEnd);

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

/// The names and numbers of a line.
static std::multiset<StringRef> wordsOf(StringRef Text) {
  std::multiset<StringRef> Words;
  while (!Text.empty()) {
    StringRef Word =
        Text.take_while([](char C) { return isAlnum(C) || C == '_'; });
    if (!Word.empty())
      Words.insert(Word);
    Text = Text.drop_front(std::max<size_t>(Word.size(), 1));
  }
  return Words;
}

double lineLikeness(StringRef A, StringRef B) {
  std::multiset<StringRef> OfA = wordsOf(A), OfB = wordsOf(B), Both;
  std::set_intersection(OfA.begin(), OfA.end(), OfB.begin(), OfB.end(),
                        std::inserter(Both, Both.end()));
  size_t All = OfA.size() + OfB.size();
  return All ? 2 * double(Both.size()) / double(All) : 0;
}

/// Pairs lines whose text was changed, in their order, so that the pairs are
/// most alike.
void Aligner::fillGap(size_t Begin, size_t End, size_t NewBegin,
                      size_t NewEnd) {
  constexpr double MinLikeness = 0.35; // below, a line is another one
  constexpr size_t MaxLines = 64;
  size_t Rows = End - Begin, Columns = NewEnd - NewBegin;
  if (Rows > MaxLines || Columns > MaxLines)
    return;
  std::vector<double> Like(Rows * Columns), Sum((Rows + 1) * (Columns + 1));
  auto At = [&](size_t I, size_t J) -> double & {
    return Sum[I * (Columns + 1) + J];
  };
  for (size_t I = Rows; I-- != 0;)
    for (size_t J = Columns; J-- != 0;) {
      double &L = Like[I * Columns + J];
      L = lineLikeness(Old[Begin + I].Source, New[NewBegin + J].Source);
      At(I, J) = std::max(At(I + 1, J), At(I, J + 1));
      if (L >= MinLikeness)
        At(I, J) = std::max(At(I, J), At(I + 1, J + 1) + L);
    }
  for (size_t I = 0, J = 0; I != Rows && J != Columns;) {
    if (At(I, J) == At(I + 1, J))
      ++I;
    else if (At(I, J) == At(I, J + 1))
      ++J;
    else
      Of[Begin + I++] = NewBegin + J++;
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
      for (size_t At = I; At != End; ++At)
        Of[At] = NextNew + (At - I);
    else if (HasText)
      fillGap(I, End, NextNew, EndNew);
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
