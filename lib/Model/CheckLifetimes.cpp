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

static void compare(uint32_t Process, const Whole &Said, const Whole &Is,
                    CheckResult &Out) {
  Out.Lifetimes += Said.Rows.size();
  if (Said.Cuts != Is.Cuts)
    Out.add(formatv("process {0}: the cuts of lifetimes are not those of its "
                    "events",
                    Process));
  if (Said.Rows.size() != Is.Rows.size())
    Out.add(formatv("process {0}: {1} rows of lifetimes, events give {2}",
                    Process, Said.Rows.size(), Is.Rows.size()));
  for (size_t I = 0; I != std::min(Said.Rows.size(), Is.Rows.size()); ++I)
    if (Said.Rows[I] != Is.Rows[I])
      Out.add(formatv("process {0}: lifetimes of heap {1}, stack {2} are not "
                      "those of its events",
                      Process, Said.Rows[I].Heap, Said.Rows[I].Stack));
}

Error memkit::compareLifetimes(TraceReader &R, const IdLimits &Limits,
                               const LiveStats &A, CheckResult &Out) {
  std::map<uint32_t, Whole> Said, Is;
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind != SectionKind::Lifetimes)
      continue;
    Lifetimes L;
    if (Error E = R.read(B, L))
      return E;
    if (std::string P = Limits.check(L); !P.empty())
      return makeTraceError(R.name(), B.Offset, P);
    Said[L.Process].add(L);
  }
  if (Said.empty())
    return Error::success();
  if (Error E = A.lifetimes([&](const Lifetimes &L) {
        Is[L.Process].add(L);
        return Error::success();
      }))
    return E;
  for (auto &[Process, W] : Is)
    compare(Process, Said[Process], W, Out);
  return Error::success();
}
