// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifetimes from FlatBuffers.

#include "DecodeHelpers.h"

using namespace llvm;
using namespace memkit;

/// Distributes consecutive values to the rows: Counts has the number of values
/// of each row, All is the total.
template <class T>
static bool deal(std::vector<LifetimeRow> &Rows,
                 std::vector<T> LifetimeRow::*Of, ArrayRef<uint32_t> Counts,
                 size_t All) {
  size_t Left = All;
  for (size_t I = 0; I != Rows.size(); ++I) {
    if (Counts[I] > Left)
      return false;
    Left -= Counts[I];
    (Rows[I].*Of).resize(Counts[I]);
  }
  return Left == 0;
}

Decoder::Problem Decoder::decodeCohorts(const fb::Lifetimes *T,
                                        Lifetimes &Out) {
  uint32_t N = T->cohort_rows();
  if (!decodePlanes(T->cohorts(), Out.Rows.size(), Narrow[0]) ||
      !deal(Out.Rows, &LifetimeRow::Cohorts, Narrow[0], N) ||
      !decodePlanes(T->interval(), N, Wide[0]) ||
      !undoDifferences(Wide[0], UINT32_MAX) ||
      !decodePlanes(T->more_intervals(), N, Narrow[1]) ||
      !decodePlanes(T->blocks(), N, Wide[1]) ||
      !decodePlanes(T->bytes(), N, Wide[2]))
    return "a column of cohorts is malformed";
  size_t At = 0;
  for (LifetimeRow &R : Out.Rows) {
    uint64_t After = 0;
    for (Cohort &C : R.Cohorts) {
      uint64_t Last = Wide[0][At] + Narrow[1][At];
      if (Wide[0][At] < After || Last > UINT32_MAX)
        return "cohorts that are out of order";
      C = {uint32_t(Wide[0][At]), uint32_t(Last), Wide[1][At], Wide[2][At]};
      After = Last + 1;
      ++At;
    }
  }
  return "";
}

Decoder::Problem Decoder::decodeFrees(const fb::Lifetimes *T, Lifetimes &Out) {
  uint32_t N = T->free_rows();
  auto Size = [](const flatbuffers::Vector<uint8_t> *V) {
    return V ? V->size() : 0;
  };
  if (Size(T->age_steps()) != N || Size(T->age_time()) != N ||
      !decodePlanes(T->frees(), Out.Rows.size(), Narrow[0]) ||
      !deal(Out.Rows, &LifetimeRow::Frees, Narrow[0], N) ||
      !decodePlanes(T->free_intervals(), N, Narrow[1]) ||
      !decodePlanes(T->free_blocks(), N, Wide[0]) ||
      !decodePlanes(T->free_bytes(), N, Wide[1]))
    return "a column of late frees is malformed";
  size_t At = 0;
  for (LifetimeRow &R : Out.Rows)
    for (LateFrees &F : R.Frees) {
      F.Age = {T->age_steps()->Get(At), T->age_time()->Get(At)};
      if (F.Age.Steps >= NumAgeClasses || F.Age.Time >= NumAgeClasses)
        return "an age that is none";
      F.Intervals = Narrow[1][At];
      F.Blocks = Wide[0][At];
      F.Bytes = Wide[1][At];
      ++At;
    }
  return "";
}

Decoder::Problem Decoder::decode(Lifetimes &Out) {
  const fb::Lifetimes *T = Root->body_as_Lifetimes();
  TRY(known(T, fb::Lifetimes::VT_FREE_BYTES));
  // The rows keep their memory for the next section.
  Out.Cuts.clear();
  Out.Process = T->process();
  Out.Last = T->last();
  if (T->cuts()) {
    if (T->cuts()->size() > MaxSectionRows)
      return "too many cuts in a section of lifetimes";
    for (const fb::LifetimeCut *C : *T->cuts())
      Out.Cuts.push_back({C->space(), C->intervals()});
  }
  uint32_t Rows = T->rows();
  if (Rows > MaxSectionRows || T->cohort_rows() > MaxSectionRows ||
      T->free_rows() > MaxSectionRows)
    return "too many rows in a section of lifetimes";
  TRY(charge(Rows * sizeof(LifetimeRow) + T->cohort_rows() * sizeof(Cohort) +
             T->free_rows() * sizeof(LateFrees)));
  if (!decodePlanes(T->heap(), Rows, Narrow[0]) ||
      !decodePlanes(T->stack(), Rows, Wide[0]) ||
      !undoDifferences(Wide[0], UINT32_MAX))
    return "a column of lifetimes is malformed";
  Out.Rows.resize(Rows);
  for (uint32_t I = 0; I != Rows; ++I) {
    Out.Rows[I].Heap = Narrow[0][I];
    Out.Rows[I].Stack = uint32_t(Wide[0][I]);
  }
  TRY(decodeCohorts(T, Out));
  return decodeFrees(T, Out);
}
