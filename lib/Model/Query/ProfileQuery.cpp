// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles and the tree in which they are drawn.

#include "ProfileQuery.h"
#include "memkit/Model/LiveBlocks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace memkit {

/// What a grouping by scopes groups by, in the singular.
static StringRef groupName(GroupBy By) {
  switch (By) {
  case GroupBy::Layer:
    return "layer";
  case GroupBy::Operator:
    return "operator";
  case GroupBy::Scope:
    return "scope";
  default:
    return "scope path";
  }
}

/// Warns that the trace has nothing to group by, with the kinds of scopes that
/// it has: a flame graph of one frame is useless.
void ProfileQuery::warnOfNone() {
  size_t Counts[NumScopeKinds] = {};
  for (const ScopeRecord &S : T->scopes())
    ++Counts[static_cast<size_t>(S.Kind)];
  std::string There;
  for (size_t K = 0; K != NumScopeKinds; ++K)
    if (Counts[K])
      There += ((There.empty() ? "; it has " : ", ") + Twine(Counts[K]) + " " +
                scopeKindName(static_cast<ScopeKind>(K)) +
                (Counts[K] == 1 ? "" : "s"))
                   .str();
  StringRef Name = groupName(Options.By);
  Warning = (T->name() + ": cannot group by " + Name + ": the trace has no " +
             Name + "s" + There)
                .str();
}

/// Whether rows of heaps and stacks are enough for the grouping.
static bool isOfSummary(GroupBy By) {
  return By == GroupBy::Heap || By == GroupBy::Library;
}

StatsBy ProfileQuery::keys() const {
  return isOfScopes(Options.By) ? StatsBy::ScopePaths : StatsBy::Stacks;
}

Expected<std::unique_ptr<ProfileQuery>>
ProfileQuery::create(std::unique_ptr<Trace> T, SelectionSpec Spec,
                     ProfileOptions Options) {
  std::unique_ptr<ProfileQuery> Q(
      new ProfileQuery(std::move(T), std::move(Options)));
  if (Error E = Q->select(std::move(Spec)))
    return std::move(E);
  return Q;
}

static bool hasPython(const Trace &T) {
  return any_of(seq<uint32_t>(1, T.numFrames() + 1), [&](uint32_t Frame) {
    return T.frame(Frame).Kind == FrameKind::Python;
  });
}

/// Whether the summary has the values of a selection by category.
static bool hasSummaryOf(SelectionSpec Spec) {
  Spec.Heaps.clear();
  Spec.Processes.clear();
  return Spec.empty();
}

Error ProfileQuery::select(SelectionSpec Spec) {
  if (Options.LinesOfPython && hasPython(*T) && !isDiff(*T)) {
    Options.By = GroupBy::Line;
    Options.Shape.NativeLines = false;
  }
  // Values that shrank lie in a heap outside the totals.
  ShowsDiff = Options.WantsDiff && isDiff(*T) && Spec.Heaps.empty() &&
              !Options.MaxAgeNs && !isOfScopes(Options.By) &&
              !isOfSummary(Options.By);
  if (ShowsDiff)
    Spec.Heaps = {"*.less", "*.more"};
  Expected<Selection> Sel = Selection::create(*T, Spec);
  if (!Sel)
    return Sel.takeError();
  if (Error E = sum(std::move(*Sel), hasSummaryOf(Spec)))
    return E;
  T->applyRules(Spec.Names, !Spec.AllFrames);
  // The rules say which library requested memory.
  if (isOfSummary(Options.By))
    if (Error E = makeGroups())
      return E;
  shape();
  chooseSpace();
  return Error::success();
}

Error ProfileQuery::makeGroups() {
  Expected<StackGroups> Made = StackGroups::create(*T, Options.By);
  if (!Made)
    return Made.takeError();
  Groups = std::make_unique<StackGroups>(std::move(*Made));
  return Error::success();
}

/// Makes the stats by group, and the tree unless it is a tree of stacks.
Error ProfileQuery::sum(Selection Sel, bool AsksSummary) {
  bool OfBlocks = Options.By == GroupBy::Category &&
                  (Options.WantsOtherThanPeak || !AsksSummary);
  if (Options.By == GroupBy::Category && !OfBlocks) {
    Expected<CategoryView> View = viewCategories(*T, Sel);
    if (!View)
      return View.takeError();
    Base = std::move(View->View);
    Categories = std::move(View->Profiles);
  }
  bool Pairs = Options.By == GroupBy::Thread || Options.By == GroupBy::Size ||
               Options.By == GroupBy::Step || Options.By == GroupBy::Mixed ||
               Options.By == GroupBy::Dtype || OfBlocks;
  if (Pairs)
    if (Error E = makeGroups())
      return E;
  Expected<SelectedStats> Of =
      Pairs ? SelectedStats::createGrouped(*T, std::move(Sel),
                                           Groups->allocationGroups())
            : SelectedStats::create(*T, std::move(Sel), keys());
  if (!Of)
    return Of.takeError();
  S.emplace(std::move(*Of));
  return Error::success();
}

void ProfileQuery::shape() {
  if (isOfScopes(Options.By)) {
    Base = groupScopes(*T, Options.By);
    if (Base.Frames.size() == 1)
      warnOfNone();
  }
  if (isOfSummary(Options.By)) {
    S->forEachKey([&](SelectedStats::RowId, uint32_t Heap, uint32_t Stack) {
      Groups->keyOf(Heap, Stack);
    });
    KeyOf = [this](const StackStats &R) {
      return Groups->keyOf(R.Heap, R.Key);
    };
  }
  if (Groups)
    Base = Groups->view();
  bool IsOfCode = Options.By == GroupBy::Stack || Options.By == GroupBy::Line ||
                  Options.By == GroupBy::Function ||
                  Options.By == GroupBy::File || Options.By == GroupBy::Binary;
  if (IsOfCode)
    Tree.emplace(*T);
  else
    Tree.emplace(*T, Base);
  StackShape How = Options.Shape;
  How.By = IsOfCode ? Options.By : GroupBy::Stack;
  if (Options.By == GroupBy::Line && !How.Invert) {
    Where.emplace(*S);
    How.ImportOf = [this](uint32_t Stack) -> std::optional<StringRef> {
      const Place &P = Where->place(Where->of(Stack));
      return P.Kind == PlaceKind::Import ? std::optional(P.Name) : std::nullopt;
    };
  }
  if (How.isPlain())
    return;
  Shaped = shapeStacks(*Tree, How);
  Tree.emplace(*T, Shaped);
}

/// Chooses the memory space of a profile. A format with only one tree shows all
/// spaces, each below a root of its name; a single space needs no root.
void ProfileQuery::chooseSpace() {
  if (S->selection().isOuterView() || !Categories.empty() || ShowsDiff)
    return;
  std::vector<uint32_t> Spaces = spacesOf(*S);
  if (Spaces.size() == 1)
    Space = Spaces.front();
  if (Spaces.size() < 2 || !Options.InOneTree || Options.MaxAgeNs)
    return;
  Space.reset();
  // Heaps are roots already, and each is of one space.
  if (Options.By == GroupBy::Heap)
    return;
  Roots = std::make_unique<SpaceRoots>(*Tree);
  KeyOf = [this, Inner = std::move(KeyOf)](const StackStats &R) {
    return Roots->keyOf(T->heap(R.Heap).Space, Inner ? Inner(R) : R.Key);
  };
  S->forEachKey([&](SelectedStats::RowId, uint32_t Heap, uint32_t Key) {
    StackStats R;
    R.Heap = Heap;
    R.Key = Key;
    KeyOf(R);
  });
  Rooted = Roots->view();
  Tree.emplace(*T, Rooted);
}

Expected<Profile> ProfileQuery::profile(Metric M) const {
  if (!Categories.empty()) {
    // Heaps of tensors lie in other heaps; each has its own peak.
    Profile All = Categories.front();
    for (const Profile &P : ArrayRef(Categories).drop_front()) {
      append_range(All.Values, P.Values);
      All.Total += P.Total;
    }
    return All;
  }
  if (M != Metric::Temporary || !Options.MaxAgeNs)
    return makeProfile(*S, M, KeyOf, Space);
  return shortLived(*T, S->selection(), keys(), *Options.MaxAgeNs);
}

/// The profiles of each memory space, the largest first.
static std::vector<Profile> spaceProfiles(const SelectedStats &S,
                                          ArrayRef<Metric> Metrics,
                                          const RowKey &KeyOf) {
  std::vector<std::vector<Profile>> Spaces(S.trace().devices().size() + 1);
  for (Metric M : Metrics)
    for (auto [P, Of] : zip_equal(makeSpaceProfiles(S, M, KeyOf), Spaces))
      if (!P.Values.empty())
        Of.push_back(std::move(P));
  erase_if(Spaces, [](const auto &Of) { return Of.empty(); });
  stable_sort(Spaces, [](const auto &A, const auto &B) {
    return A.front().Total > B.front().Total;
  });
  std::vector<Profile> All;
  for (std::vector<Profile> &Of : Spaces)
    for (Profile &P : Of)
      All.push_back(std::move(P));
  return All;
}

Expected<std::vector<Profile>>
ProfileQuery::profiles(ArrayRef<Metric> Metrics) const {
  if (!Categories.empty())
    return Categories;
  // Heaps as groups are shown side by side, and profiles by age are not split
  // by heap.
  bool Split = S->selection().isOuterView() || isDiff(*T);
  if (!Split && !Options.MaxAgeNs)
    return spaceProfiles(*S, Metrics, KeyOf);
  if (Options.By != GroupBy::Heap && !Options.MaxAgeNs)
    return makeHeapProfiles(*S, Metrics, KeyOf);
  std::vector<Profile> All;
  for (Metric M : Metrics) {
    Expected<Profile> P = profile(M);
    if (!P)
      return P.takeError();
    if (!P->Values.empty())
      All.push_back(std::move(*P));
  }
  return All;
}

} // namespace memkit
