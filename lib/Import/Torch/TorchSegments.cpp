// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The segments of a device in a PyTorch snapshot.

#include "TorchSegments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace llvm;
using namespace memkit;

namespace {

/// Addresses that events have touched so far: ranges that do not meet.
class TouchedAddresses {
public:
  /// Touches [Begin, End). Calls OnNew for each part that was not touched.
  void touch(uint64_t Begin, uint64_t End,
             function_ref<void(uint64_t, uint64_t)> OnNew) {
    auto It = Ranges.upper_bound(Begin);
    if (It != Ranges.begin() && std::prev(It)->second >= Begin)
      --It;
    uint64_t From = Begin, NewBegin = Begin, NewEnd = End;
    while (It != Ranges.end() && It->first <= End) {
      if (It->first > From)
        OnNew(From, It->first);
      From = std::max(From, It->second);
      NewBegin = std::min(NewBegin, It->first);
      NewEnd = std::max(NewEnd, It->second);
      It = Ranges.erase(It);
    }
    if (From < End)
      OnNew(From, End);
    Ranges[NewBegin] = NewEnd;
  }

private:
  std::map<uint64_t, uint64_t> Ranges; ///< begin to end
};

/// Collects the segments before the first event.
class EarlierSegments {
public:
  void take(const TorchEvent &E) {
    bool IsRange = E.Action == TorchAction::SegmentMap ||
                   E.Action == TorchAction::SegmentUnmap;
    TorchSegment S;
    S.Address = E.Address;
    S.Size = E.Size;
    S.Stream = E.Stream;
    S.Pool = E.Pool ? E.Pool - 1 : 0;
    S.Expands = IsRange;
    if (!IsRange) {
      bool IsFirst = Fixed.try_emplace(E.Address, true).second;
      if (IsFirst && E.Action == TorchAction::SegmentFree)
        Found.push_back(S);
      return;
    }
    // The end of a damaged range is the end of all addresses.
    uint64_t End = std::max(E.Address, E.Address + E.Size);
    bool WasMapped = E.Action == TorchAction::SegmentUnmap;
    Touched.touch(E.Address, End, [&](uint64_t From, uint64_t To) {
      if (WasMapped)
        addPart(S, From, To);
    });
  }

  void take(const TorchSegment &S) {
    if (!S.Expands) {
      if (!Fixed.count(S.Address))
        add(S);
      return;
    }
    Touched.touch(S.Address, S.Address + S.Size,
                  [&](uint64_t From, uint64_t To) { addPart(S, From, To); });
  }

  std::vector<TorchSegment> finish() {
    llvm::stable_sort(Found, [](const TorchSegment &A, const TorchSegment &B) {
      return A.Address < B.Address;
    });
    std::vector<TorchSegment> Out;
    for (TorchSegment &S : Found) {
      // Parts of one range: the allocator maps and unmaps pieces of it.
      if (!Out.empty() && S.Expands && Out.back().Expands &&
          Out.back().Address + Out.back().Size == S.Address) {
        TorchSegment &Last = Out.back();
        Last.Size += S.Size;
        Last.Stack = Last.Stack ? Last.Stack : S.Stack;
        Last.Pool = Last.Pool ? Last.Pool : S.Pool;
        continue;
      }
      Out.push_back(std::move(S));
    }
    return Out;
  }

private:
  void add(const TorchSegment &S) {
    TorchSegment &New = Found.emplace_back();
    New.Address = S.Address;
    New.Size = S.Size;
    New.Stream = S.Stream;
    New.Pool = S.Pool;
    New.Stack = S.Stack;
    New.Expands = S.Expands;
  }
  void addPart(const TorchSegment &Of, uint64_t From, uint64_t To) {
    add(Of);
    Found.back().Address = From;
    Found.back().Size = To - From;
  }

  std::map<uint64_t, bool> Fixed; ///< addresses with events
  TouchedAddresses Touched;
  std::vector<TorchSegment> Found;
};

} // namespace

std::vector<TorchSegment> memkit::segmentsBefore(const TorchDevice &D) {
  EarlierSegments Before;
  for (const TorchEvent &E : D.Trace.SegmentEvents)
    Before.take(E);
  for (const TorchSegment &S : D.Segments)
    Before.take(S);
  return Before.finish();
}
