// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Curves by thread, category, layer and scope, which only events know.

#include "CountedHeaps.h"
#include "TraceView.h"
#include "memkit/Analysis/GroupCurves.h"
#include "memkit/Model/BlockCategories.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace memkit {

namespace {
/// The groups of allocations.
struct EventGroups {
  std::function<uint32_t(const Allocation &)> Of;
  std::vector<std::string> Names; ///< by group
};
} // namespace

static EventGroups groupsOfThreads(const Trace &T) {
  EventGroups Out;
  Out.Names.push_back("unknown thread");
  for (const Thread &Of : T.threads()) {
    std::string Tid = std::to_string(Of.Tid);
    StringRef Name = T.string(Of.Name);
    Out.Names.push_back(Name.empty() ? "thread " + Tid
                                     : Name.str() + " (" + Tid + ")");
  }
  uint32_t Count = Out.Names.size();
  Out.Of = [Count](const Allocation &B) {
    return B.Thread < Count ? B.Thread : 0;
  };
  return Out;
}

/// Groups scope paths by the name of the innermost scope, or of the innermost
/// layer.
static EventGroups groupsOfScopes(const Trace &T, bool OfLayers) {
  EventGroups Out;
  Out.Names.push_back(OfLayers ? "in no layer" : "in no scope");
  std::vector<uint32_t> GroupOf(T.scopePaths().size() + 1);
  DenseMap<uint32_t, uint32_t> Known; // by string
  // A parent's id is lower.
  for (uint32_t Id = 1; Id < GroupOf.size(); ++Id) {
    const ScopePath &P = T.scopePaths()[Id - 1];
    const ScopeRecord &S = T.scopes()[P.Scope - 1];
    GroupOf[Id] = GroupOf[P.Parent];
    if (OfLayers && S.Kind != ScopeKind::Layer)
      continue;
    auto [At, New] = Known.try_emplace(S.Name, Out.Names.size());
    if (New)
      Out.Names.push_back(T.string(S.Name).str());
    GroupOf[Id] = At->second;
  }
  Out.Of = [GroupOf = std::move(GroupOf)](const Allocation &B) {
    return B.ScopePath < GroupOf.size() ? GroupOf[B.ScopePath] : 0;
  };
  return Out;
}

static EventGroups
groupsOfCategories(const Trace &T,
                   std::shared_ptr<const BlockCategoryTable> Of) {
  EventGroups Out;
  for (uint32_t Group = 0; Group != CategoryGroups::Count; ++Group)
    Out.Names.push_back(CategoryGroups::name(Group).str());
  auto Groups = std::make_shared<CategoryGroups>(T, std::move(Of));
  Out.Of = [Groups](const Allocation &B) {
    return Groups->of(B.Process, B.Heap, B.Block);
  };
  return Out;
}

static Expected<EventGroups> eventGroups(const Trace &T, StringRef By) {
  if (By == "thread")
    return groupsOfThreads(T);
  if (By != "category")
    return groupsOfScopes(T, By == "layer");
  auto Table = BlockCategoryTable::read(T.reader());
  if (!Table)
    return Table.takeError();
  return groupsOfCategories(T, std::move(*Table));
}

namespace {
struct FoundCurves : JobResult {
  GroupCurves Curves;
};
} // namespace

/// Curves that only the events know: one replay, beside the server. False: the
/// replay runs.
Expected<bool> TraceView::readEventCurves(const TracePart &P, DrawnCurves &To) {
  const PartFilter &Of = P.filter();
  Expected<EventGroups> Made = eventGroups(trace(), To.By);
  if (!Made)
    return Made.takeError();
  EventGroups &Groups = *Made;
  GroupCurveSpec Spec;
  Spec.GroupOf = Groups.Of;
  Spec.NumGroups = Groups.Names.size();
  Spec.Heaps = CountedHeaps(trace(), To.Space, Of.Heap).all();
  Spec.Space = To.Space;
  Spec.Heap = Of.Heap;
  Spec.EndNs = endNs();
  if (Of != PartFilter())
    Spec.Select = [Of](const Allocation &B) {
      return (!Of.Heap || B.Heap == Of.Heap) &&
             (!Of.Process || B.Process == Of.Process);
    };
  auto Work =
      [Spec, &Reader = trace().reader()](
          ProgressCallback Tell) -> Expected<std::unique_ptr<JobResult>> {
    // A reader belongs to one thread.
    Expected<std::unique_ptr<TraceReader>> Again = Reader.again();
    if (!Again)
      return Again.takeError();
    Expected<GroupCurves> Curves = readGroupCurves(**Again, Spec, Tell);
    if (!Curves)
      return Curves.takeError();
    auto Out = std::make_unique<FoundCurves>();
    Out->Curves = std::move(*Curves);
    return Out;
  };
  auto Found = result(
      formatv("curves {0} {1} {2} {3}", To.By, To.Space, Of.Heap, Of.Process)
          .str(),
      Work);
  if (!Found)
    return Found.takeError();
  if (!*Found)
    return false;
  const GroupCurves &C = static_cast<const FoundCurves *>(*Found)->Curves;
  To.EveryNs = C.EveryNs;
  for (uint32_t Id = 0; Id != C.Groups.size(); ++Id) {
    if (C.Groups[Id].empty())
      continue;
    To.Groups.push_back({Id, Groups.Names[Id], CodeOwner::Other, C.Groups[Id]});
    addSpike(To.Groups.back().Points, C.PeakNs, C.AtPeak[Id]);
  }
  std::vector<std::vector<SeriesPoint>> Series;
  for (const GroupCurve &G : To.Groups)
    Series.push_back(G.Points);
  To.Total = sumOf(Series);
  return true;
}

} // namespace memkit
