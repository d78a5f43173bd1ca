// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stats by stack, line, library, scope, layer, ....

#include "memkit/Model/StatsQuery.h"
#include "Model/Stacks/FrameText.h"
#include "memkit/Model/Libraries.h"
#include "memkit/Model/Places.h"
#include "memkit/Model/StackKeys.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <tuple>

using namespace llvm;

namespace memkit {

namespace {

/// Numbers the groups of the rows' keys. Stacks of equal frames, and other keys
/// with equal names, share a group.
class StatsGrouper {
public:
  StatsGrouper(const Trace &T, GroupBy By) : T(T), By(By) {
    if (By == GroupBy::Library)
      Of.emplace(T);
    if (By == GroupBy::Stack)
      Keys = nodeKeys(T, SameFrame::Location);
  }

  uint32_t groupOf(uint32_t Key) {
    if (By == GroupBy::Heap)
      return 0;
    auto [At, New] = Known.try_emplace(Key, 0);
    if (New)
      At->second = makeGroup(Key);
    return At->second;
  }
  std::string nameOf(uint32_t Group, uint32_t Heap) const {
    return By == GroupBy::Heap ? T.heapName(Heap).str() : Names[Group];
  }

private:
  uint32_t makeGroup(uint32_t Key) {
    if (By == GroupBy::Stack)
      return groupOfStack(Key);
    auto [At, New] = ByName.try_emplace(nameOfKey(Key), Names.size());
    if (New)
      Names.push_back(At->getKey().str());
    return At->second;
  }

  uint32_t groupOfStack(uint32_t Stack) {
    auto [At, New] =
        ByStack.try_emplace(Keys[T.view().leaf(Stack)], Names.size());
    if (New) {
      std::vector<ShownFrame> Frames = T.shownStack(Stack);
      Names.push_back(Frames.empty() ? "(no stack)"
                                     : frameText(Frames.front(), FP_Binary));
    }
    return At->second;
  }

  std::string nameOfKey(uint32_t Key) const {
    switch (By) {
    case GroupBy::Library:
      return Of->name(Of->of(Key)).str();
    case GroupBy::ScopePath:
      return Key ? T.scopePathText(Key) : "(no scope path)";
    case GroupBy::Layer:
      return layerOf(Key);
    case GroupBy::Line:
      return lineOf(Key);
    default:
      return innermost(Key);
    }
  }

  std::string layerOf(uint32_t ScopePath) const {
    for (; ScopePath; ScopePath = T.scopePaths()[ScopePath - 1].Parent) {
      uint32_t Id = T.scopePaths()[ScopePath - 1].Scope;
      if (T.scopes()[Id - 1].Kind == ScopeKind::Layer)
        return T.string(T.scopes()[Id - 1].Name).str();
    }
    return "(no layer)";
  }

  std::string lineOf(uint32_t Stack) const {
    std::vector<ShownFrame> Frames = T.shownStack(Stack);
    if (Frames.empty())
      return "(no stack)";
    auto Best = find_if(Frames, [](const ShownFrame &F) { return F.IsPython; });
    if (Best == Frames.end())
      Best = find_if(Frames, [](const ShownFrame &F) { return F.Line != 0; });
    return frameText(Best == Frames.end() ? Frames.front() : *Best, FP_Binary);
  }

  /// The function, file or binary of the innermost frame that has one.
  std::string innermost(uint32_t Stack) const {
    for (const ShownFrame &F : T.shownStack(Stack)) {
      StringRef Name = By == GroupBy::File     ? F.File
                       : By == GroupBy::Binary ? F.Binary
                                               : F.Label;
      if (!Name.empty())
        return Name.str();
    }
    return "(unknown)";
  }

  const Trace &T;
  GroupBy By;
  std::optional<Libraries> Of;
  std::vector<uint64_t> Keys;         ///< by node, of stacks
  DenseMap<uint32_t, uint32_t> Known; ///< groups by key
  DenseMap<uint64_t, uint32_t> ByStack;
  StringMap<uint32_t> ByName;
  std::vector<std::string> Names; ///< by group
};

} // namespace

static void addRow(GroupedStats &To, const StackStats &R) {
  To.Allocations += R.Allocations;
  To.Frees += R.Allocations + R.Splits - R.LiveBlocks;
  To.Temporaries += R.Temporaries;
  To.AllocatedBytes += R.AllocatedBytes;
  To.FreedBytes += R.AllocatedBytes - R.LiveBytes;
  To.LiveBlocks += R.LiveBlocks;
  To.LiveBytes += R.LiveBytes;
  To.LiveExclusive += R.LiveExclusive;
  To.HeapPeakBlocks += R.HeapPeakBlocks;
  To.HeapPeakBytes += R.HeapPeakBytes;
  To.SpacePeakBlocks += R.SpacePeakBlocks;
  To.SpacePeakBytes += R.SpacePeakBytes;
}

/// Sums the rows of S by heap and group.
static std::vector<GroupedStats>
sumGroups(const SelectedStats &S, function_ref<uint32_t(uint32_t Key)> GroupOf,
          function_ref<std::string(uint32_t Group, uint32_t Heap)> NameOf,
          function_ref<bool(uint32_t)> Chooses) {
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Places;
  std::vector<GroupedStats> Out;
  S.forEach([&](uint32_t, const StackStats &R) {
    // The scope path 0 may have a row without any value for a heap.
    bool IsAny = R.Allocations || R.Splits || R.LiveBlocks || R.HeapPeakBlocks;
    if (!IsAny || (Chooses && !Chooses(R.Heap)))
      return;
    uint32_t Group = GroupOf(R.Key);
    auto [At, New] = Places.try_emplace({R.Heap, Group}, Out.size());
    if (New) {
      GroupedStats &Row = Out.emplace_back();
      Row.Heap = R.Heap;
      Row.Key = R.Key;
      Row.Name = NameOf(Group, R.Heap);
    }
    addRow(Out[At->second], R);
  });
  stable_sort(Out, [](const GroupedStats &A, const GroupedStats &B) {
    return std::tie(A.Heap, B.HeapPeakBytes, B.LiveBytes, A.Name) <
           std::tie(B.Heap, A.HeapPeakBytes, A.LiveBytes, B.Name);
  });
  return Out;
}

std::vector<GroupedStats> groupStats(const SelectedStats &S, GroupBy By,
                                     function_ref<bool(uint32_t)> Chooses) {
  StatsGrouper Groups(S.trace(), By);
  return sumGroups(
      S, [&](uint32_t Key) { return Groups.groupOf(Key); },
      [&](uint32_t Group, uint32_t Heap) { return Groups.nameOf(Group, Heap); },
      Chooses);
}

std::vector<GroupedStats> groupStats(const SelectedStats &S, const Places &Of) {
  return sumGroups(
      S, [&](uint32_t Stack) { return Of.of(Stack); },
      [&](uint32_t Place, uint32_t) { return Of.text(Of.place(Place)); },
      nullptr);
}

Expected<StatsReport> queryStats(const Trace &T, const SelectionSpec &Spec,
                                 GroupBy By) {
  Expected<Selection> Sel = Selection::create(T, Spec);
  if (!Sel)
    return Sel.takeError();
  Expected<SelectedStats> S = SelectedStats::create(
      T, std::move(*Sel),
      isOfScopes(By) ? StatsBy::ScopePaths : StatsBy::Stacks);
  if (!S)
    return S.takeError();
  return StatsReport{groupStats(*S, By), S->selection().times()};
}

Expected<StatsReport> queryTimePoint(const Trace &T, const TimePointSpec &At,
                                     SelectionSpec Spec, GroupBy By) {
  Spec.At = At;
  return queryStats(T, Spec, By);
}

Expected<StatsReport> queryRange(const Trace &T,
                                 std::optional<TimePointSpec> Since,
                                 std::optional<TimePointSpec> Until,
                                 SelectionSpec Spec, GroupBy By) {
  Spec.Since = std::move(Since);
  Spec.Until = std::move(Until);
  return queryStats(T, Spec, By);
}

} // namespace memkit
