// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace of this moment, for a reader outside.

#include "Output/LiveCopy.h"
#include "Output/Recording.h"
#include "Support/Failure.h"
#include "Trace/SummaryLists.h"
#include "memkit/Trace/TraceWriter.h"
#include <utility>

using namespace llvm;
using namespace memkit;

/// Fails if the system had no memory for the sink.
static Error checkWhole(const MemorySink &S) {
  return S.isWhole() ? Error::success()
                     : makeError("no memory for a reader of the recording");
}

Expected<std::unique_ptr<LiveCopy>>
LiveCopy::begin(Recording &R, uint64_t NowNs, uint64_t Since) {
  std::unique_ptr<LiveCopy> C(new LiveCopy(R));
  if (Error E = MemorySink::create("memkit totals").moveInto(C->Totals))
    return std::move(E);
  if (Error E = MemorySink::create("memkit rows").moveInto(C->Rows))
    return std::move(E);
  if (Error E = MemorySink::create("memkit index").moveInto(C->Index))
    return std::move(E);
  C->Written = std::make_shared<std::optional<WrittenFile>>();
  // The names in the lists are written with the rest.
  Summary Known = R.listsNow(NowNs);
  R.flush();
  R.noteWritten([To = C->Written](const TraceWriter &W) {
    *To = {W.copyBytes(), W.index()};
  });
  Summary S = R.totalsNow(std::move(Known));
  // A reader of another recording would name events that are still to come.
  C->Events = R.stats().events();
  C->Since = Since <= C->Events ? Since : 0;
  R.stats().beginMoment(C->Since);
  std::vector<MomentCell> Cells = R.stats().momentCells();
  C->NumCells = Cells.size();
  cantFail(C->Rows->write(StringRef(reinterpret_cast<char *>(Cells.data()),
                                    Cells.size() * sizeof(MomentCell))));
  // In one go: of many rows the tools compute the lifetimes from the events.
  constexpr uint32_t FewRows = 512;
  if (R.stats().numStackRows() <= FewRows)
    if (Error E = R.stats().lifetimes([&](const Lifetimes &L) {
          C->Ages.push_back(L);
          return Error::success();
        }))
      return std::move(E);
  C->Lists = std::move(S);
  return C;
}

/// Encodes the totals: a step of its own, as long as the begin.
Error LiveCopy::writeTotals() {
  auto W = TraceWriter::create(*Totals, Header());
  if (!W)
    return W.takeError();
  for (const Lifetimes &L : std::exchange(Ages, {}))
    if (Error E = (*W)->write(L))
      return E;
  if (Error E =
          writeLists(std::move(*std::exchange(Lists, std::nullopt)),
                     [&](const Summary &Part) { return (*W)->write(Part); }))
    return E;
  return checkWhole(*Totals);
}

LiveCopy::~LiveCopy() {
  // After the last row the moment may be another reader's.
  if (!HasRows && R.stats().isInMoment())
    R.stats().endMoment();
}

Expected<bool> LiveCopy::step() {
  // Some 50 microseconds, where each row costs three cache misses.
  constexpr size_t RowsAtOnce = 256;
  if (Lists) {
    if (Error E = writeTotals())
      return std::move(E);
    return false;
  }
  if (!HasRows) {
    Part.clear();
    HasRows = !R.stats().momentPart(RowsAtOnce, Part);
    cantFail(Rows->write(StringRef(reinterpret_cast<char *>(Part.data()),
                                   Part.size() * sizeof(MomentRow))));
    if (Error E = checkWhole(*Rows))
      return std::move(E);
  }
  if (!HasRows || !*Written)
    return false;
  cantFail(Index->write((*Written)->Index));
  if (Error E = checkWhole(*Index))
    return std::move(E);
  // A reader that is root takes nothing else from a recorder of another user.
  for (MemorySink *Each : {Totals.get(), Rows.get(), Index.get()})
    if (!Each->seal())
      return failErrno("F_ADD_SEALS");
  return true;
}
