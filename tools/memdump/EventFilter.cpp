// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of a selection.

#include "EventFilter.h"
#include "memkit/Model/LiveBlocks.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

using namespace llvm;

namespace memkit {

namespace {

class EventFilter final : public SectionVisitor {
public:
  EventFilter(const Trace &T, const Selection &Sel, SectionVisitor &To)
      : T(T), Sel(Sel), To(To), IsAt(Sel.times().At) {}
  Error findLive();

  Error visit(const SectionInfo &I, const Header &H) override {
    return To.visit(I, H);
  }
  Error visit(const SectionInfo &I, const Dictionary &D) override {
    return To.visit(I, D);
  }
  Error visit(const SectionInfo &I, const Events &E) override;
  Error visit(const SectionInfo &I, const Marks &M) override;

private:
  bool isInWindow(uint64_t TimeNs) const {
    return Sel.times().hasAllocationAt(TimeNs);
  }
  bool chooses(const Events &E, const Event &R, uint64_t Created);
  bool makesLive(const Event &R, uint32_t Process, uint64_t Created);
  void keep(const Events &From, size_t Row);
  Error give(const SectionInfo &I);

  template <typename SectionT>
  Error check(const SectionInfo &I, const SectionT &Section) const {
    std::string Wrong = T.limits().check(Section);
    return Wrong.empty() ? Error::success()
                         : makeTraceError(T.name(), I.Offset, Wrong);
  }

  const Trace &T;
  const Selection &Sel;
  SectionVisitor &To;
  bool IsAt; ///< only blocks live at a time point are chosen
  /// The chosen live blocks, by process; with IsAt the blocks live at the time
  /// point.
  std::map<uint32_t, DenseSet<uint64_t>> Live;
  Events Kept;
  uint64_t KeptNext = 0; ///< allocation id of Kept's next block
};

} // namespace

Error EventFilter::findLive() {
  return replayTo(T, Sel, *Sel.times().At, "--at needs",
                  [&](uint32_t Process, const Replay &R) -> Error {
                    R.forEachLive(
                        Process, [&](const LiveBlock &B, uint32_t Of) {
                          // makesLive() compares the size, because --at selects
                          // by the size at allocation.
                          if (Sel.hasBlock({B.AllocatedNs, UINT64_MAX, Process,
                                            Of, B.Heap, B.Stack, B.ScopePath}))
                            Live[Process].insert(B.AllocationId);
                        });
                    return Error::success();
                  });
}

/// Whether the event makes a chosen block that is live at the time point.
bool EventFilter::makesLive(const Event &R, uint32_t Process,
                            uint64_t Created) {
  const DenseSet<uint64_t> &Blocks = Live[Process];
  if (R.Kind == EventKind::Split)
    return Blocks.contains(Created);
  return R.Kind == EventKind::Allocate && Blocks.contains(R.Block) &&
         Sel.hasBlock({R.TimeNs, R.Size, Process, R.Thread, R.Heap, R.Stack,
                       R.ScopePath});
}

/// Whether the block of an event is chosen. Created: the allocation id of the
/// next block.
bool EventFilter::chooses(const Events &E, const Event &R, uint64_t Created) {
  if (IsAt)
    return makesLive(R, E.Process, Created);
  DenseSet<uint64_t> &Blocks = Live[E.Process];
  if (R.Kind == EventKind::Allocate) {
    bool Has = Sel.hasBlock(
        {R.TimeNs, R.Size, E.Process, R.Thread, R.Heap, R.Stack, R.ScopePath});
    if (Has)
      Blocks.insert(R.Block);
    return Has;
  }
  bool Has = Blocks.contains(R.Block);
  if (Has && R.Kind == EventKind::Free)
    Blocks.erase(R.Block);
  if (Has && R.Kind == EventKind::Split)
    Blocks.insert(Created);
  return Has;
}

void EventFilter::keep(const Events &From, size_t Row) {
  Kept.Rows.push_back(From.Rows[Row]);
  auto Add = [&](const auto &Column, auto &Out) {
    if (!Column.empty())
      Out.push_back(Column[Row]);
  };
  Add(From.Columns.Address, Kept.Columns.Address);
  Add(From.Columns.Enclosing, Kept.Columns.Enclosing);
  Add(From.Columns.Requested, Kept.Columns.Requested);
  Add(From.Columns.Weight, Kept.Columns.Weight);
  Add(From.Columns.Stream, Kept.Columns.Stream);
  Add(From.Columns.Pool, Kept.Columns.Pool);
}

Error EventFilter::give(const SectionInfo &I) {
  Error E = Kept.Rows.empty() ? Error::success() : To.visit(I, Kept);
  Kept.Rows.clear();
  Kept.Columns.clear();
  return E;
}

/// Passes chosen rows on. The row of a split does not hold the new block's
/// allocation id: printers count ids from the first one of the section. So a
/// new Events section starts before a split if blocks were left out since the
/// last row.
Error EventFilter::visit(const SectionInfo &I, const Events &E) {
  if (Error Err = check(I, E))
    return Err;
  Kept.Process = E.Process;
  Kept.Epoch = E.Epoch;
  uint64_t Created = E.FirstAllocationId;
  for (size_t Row = 0; Row != E.Rows.size(); ++Row) {
    const Event &R = E.Rows[Row];
    bool Makes = R.Kind == EventKind::Allocate || R.Kind == EventKind::Split;
    if (chooses(E, R, Created) && isInWindow(R.TimeNs)) {
      if (R.Kind == EventKind::Split && KeptNext != Created)
        if (Error Err = give(I))
          return Err;
      if (Kept.Rows.empty())
        Kept.FirstAllocationId = KeptNext = Created;
      keep(E, Row);
      KeptNext += Makes;
    }
    Created += Makes;
  }
  return give(I);
}

Error EventFilter::visit(const SectionInfo &I, const Marks &M) {
  if (Error E = check(I, M))
    return E;
  Marks Kept;
  for (const Mark &R : M.Rows)
    if (!IsAt && isInWindow(R.TimeNs) &&
        (!R.Process || Sel.hasProcess(R.Process)))
      Kept.Rows.push_back(R);
  return Kept.Rows.empty() ? Error::success() : To.visit(I, Kept);
}

Expected<std::unique_ptr<SectionVisitor>>
createEventFilter(const Trace &T, const Selection &Sel, SectionVisitor &To) {
  auto Filter = std::make_unique<EventFilter>(T, Sel, To);
  if (Sel.times().At)
    if (Error E = Filter->findLive())
      return std::move(E);
  return Filter;
}

} // namespace memkit
