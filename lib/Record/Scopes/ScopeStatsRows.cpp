// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stats of heaps or memory spaces for open scopes.

#include "Scopes/ScopeStatsRows.h"

using namespace memkit;

void ScopeStatsRows::OpenRows::grow(uint32_t Row) {
  Has.resize(Row / 64 + 1);
  Entries.resize(Has.size() * 64);
}

void ScopeStatsRows::growNow(uint32_t Row) { Now.resize(size_t(Row) + 1); }

void ScopeStatsRows::noteReserved(uint32_t Row, uint64_t Reserved,
                                  uint64_t Active) {
  ScopeStatsEntry &E = entryOf(Opens[NumOpen - 1], Row);
  RowNow &N = Now[Row];
  N.Allocator = {Reserved, Active};
  E.Reserved = std::max(E.Reserved, N.Allocator);
  N.IsReservedKnown = true;
}

void ScopeStatsRows::begin() {
  if (NumOpen == Opens.size())
    Opens.emplace_back();
  OpenRows &O = Opens[NumOpen++];
  std::fill(O.Has.begin(), O.Has.end(), 0);
}

/// Moves the entries of a scope that ends to the scope before.
void ScopeStatsRows::merge(const OpenRows &From, OpenRows &To) {
  for (size_t Word = 0; Word != From.Has.size(); ++Word)
    for (uint64_t Bits = From.Has[Word]; Bits; Bits &= Bits - 1) {
      uint32_t Row = uint32_t(Word * 64) + uint32_t(std::countr_zero(Bits));
      const ScopeStatsEntry &E = From.Entries[Row];
      if (!To.has(Row)) {
        To.add(Row) = E;
        continue;
      }
      ScopeStatsEntry &Outer = To.Entries[Row];
      Outer.Highest = std::max(Outer.Highest, E.Highest);
      Outer.Reserved = std::max(Outer.Reserved, E.Reserved);
    }
}

void ScopeStatsRows::end(size_t Scope) {
  merge(Opens[Scope], Opens[Scope - 1]);
  auto At = Opens.begin() + ptrdiff_t(Scope);
  std::rotate(At, At + 1, Opens.begin() + ptrdiff_t(NumOpen));
  NumOpen -= 1;
  if (Opens.size() - NumOpen > MaxSpare)
    Opens.pop_back();
}
