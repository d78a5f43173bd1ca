// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares lifetimes with those of the events.

#include "CheckSummary.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace memkit;
using llvm::Error;
using llvm::formatv;

namespace {
/// The lifetimes of a process, in one piece.
struct Whole {
  std::vector<LifetimeCut> Cuts;
  std::vector<LifetimeRow> Rows;
  bool IsOpen = false; ///< its last section is still to come

  void add(const Lifetimes &L) {
    if (!IsOpen)
      *this = Whole();
    IsOpen = !L.Last;
    Cuts.insert(Cuts.end(), L.Cuts.begin(), L.Cuts.end());
    Rows.insert(Rows.end(), L.Rows.begin(), L.Rows.end());
  }
};
} // namespace

static void compare(uint32_t Process, const Whole &Stored, const Whole &Is,
                    CheckResult &Out) {
  Out.Lifetimes += Stored.Rows.size();
  if (Stored.Cuts != Is.Cuts)
    Out.add(formatv("process {0}: the cuts of lifetimes are not those of its "
                    "events",
                    Process));
  if (Stored.Rows.size() != Is.Rows.size())
    Out.add(formatv("process {0}: {1} rows of lifetimes, events give {2}",
                    Process, Stored.Rows.size(), Is.Rows.size()));
  for (size_t I = 0; I != std::min(Stored.Rows.size(), Is.Rows.size()); ++I)
    if (Stored.Rows[I] != Is.Rows[I])
      Out.add(formatv("process {0}: lifetimes of heap {1}, stack {2} are not "
                      "those of its events",
                      Process, Stored.Rows[I].Heap, Stored.Rows[I].Stack));
}

Error memkit::compareLifetimes(TraceReader &R, const IdLimits &Limits,
                               const LiveStats &A, CheckResult &Out) {
  std::map<uint32_t, Whole> Stored, Is;
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind != SectionKind::Lifetimes)
      continue;
    Lifetimes L;
    if (Error E = R.read(B, L))
      return E;
    if (std::string P = Limits.check(L); !P.empty())
      return makeTraceError(R.name(), B.Offset, P);
    Stored[L.Process].add(L);
  }
  if (Stored.empty())
    return Error::success();
  if (Error E = A.lifetimes([&](const Lifetimes &L) {
        Is[L.Process].add(L);
        return Error::success();
      }))
    return E;
  for (auto &[Process, W] : Is)
    compare(Process, Stored[Process], W, Out);
  return Error::success();
}
