// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memflame draws.

#include "FlameInput.h"
#include "Cli/Progress.h"
#include "Cli/ToolMain.h"
#include "Options.h"
#include "memkit/Model/LiveBlocks.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

/// One frame is no picture: says what scopes there are in its place.
static void warnOfNone(const Trace &T) {
  size_t Counts[NumScopeKinds] = {};
  for (const Scope &S : T.scopes())
    ++Counts[static_cast<size_t>(S.Kind)];
  std::string There;
  for (size_t K = 0; K != NumScopeKinds; ++K)
    if (Counts[K])
      There += ((There.empty() ? "; there are " : ", ") + Twine(Counts[K]) +
                " " + scopeKindName(static_cast<ScopeKind>(K)) +
                (Counts[K] == 1 ? "" : "s"))
                   .str();
  warn(T.name() + ": nothing in it to group by so" +
       (There.empty() ? "; it has no scope paths" : There));
}

/// Groups that rows of heaps and stacks tell.
static bool isOfSummary(GroupBy By) {
  return By == GroupBy::Heap || By == GroupBy::Library;
}

StatsBy FlameInput::keys() const {
  return isOfScopes(Grouping) ? StatsBy::ScopePaths : StatsBy::Stacks;
}

/// Rows of categories are of heaps and processes.
static bool fitsCategories(SelectionSpec Spec) {
  Spec.Heaps.clear();
  Spec.Processes.clear();
  return Spec.empty();
}

Error FlameInput::open(StringRef Path, SelectionSpec Spec) {
  if (Grouping == GroupBy::Category && !fitsCategories(Spec))
    return makeUsageError("--group-by=category goes with --heap and --process "
                          "alone");
  Expected<std::unique_ptr<Trace>> Opened = Trace::open(Path, showProgress());
  if (!Opened)
    return Opened.takeError();
  T = std::move(*Opened);
  for_each(T->warnings(), [](const std::string &W) { warn(W); });
  // What shrank lies outside the totals.
  ShowsDiff = OutputFormat == Format::Collapsed && isDiff(*T) &&
              Spec.Heaps.empty() && MaxAge.empty() && !isOfScopes(Grouping) &&
              !isOfSummary(Grouping);
  if (ShowsDiff)
    Spec.Heaps = {"*.less", "*.more"};
  Expected<Selection> Sel = Selection::create(*T, Spec);
  if (!Sel)
    return Sel.takeError();
  if (Error E = sum(std::move(*Sel)))
    return E;
  if (!Spec.AllFrames)
    T->foldFrames();
  shape();
  chooseSpace();
  return Error::success();
}

/// Makes the sums by what is grouped by, and the tree if it is none of stacks.
Error FlameInput::sum(Selection Sel) {
  if (Grouping == GroupBy::Category) {
    Expected<CategoryView> View = viewCategories(*T, Sel);
    if (!View)
      return View.takeError();
    Base = std::move(View->View);
    Categories = std::move(View->Profiles);
  }
  bool Pairs = Grouping == GroupBy::Thread || Grouping == GroupBy::Size ||
               Grouping == GroupBy::Step || Grouping == GroupBy::Mixed;
  if (Pairs || isOfSummary(Grouping)) {
    Expected<StackGroups> Made = StackGroups::create(*T, Grouping);
    if (!Made)
      return Made.takeError();
    Groups = std::make_unique<StackGroups>(std::move(*Made));
  }
  Expected<SelectedStats> Of =
      Pairs ? SelectedStats::createGrouped(
                  *T, std::move(Sel),
                  [this](const Allocation &B) { return Groups->keyOf(B); })
            : SelectedStats::create(*T, std::move(Sel), keys());
  if (!Of)
    return Of.takeError();
  S.emplace(std::move(*Of));
  return Error::success();
}

void FlameInput::shape() {
  if (isOfScopes(Grouping)) {
    Base = groupScopes(*T, Grouping);
    if (Base.Frames.size() == 1)
      warnOfNone(*T);
  }
  if (isOfSummary(Grouping)) {
    S->forEachKey([&](SelectedStats::RowId, uint32_t Heap, uint32_t Stack) {
      Groups->keyOf(Heap, Stack);
    });
    KeyOf = [this](const StackStats &R) {
      return Groups->keyOf(R.Heap, R.Key);
    };
  }
  if (Groups)
    Base = Groups->view();
  bool IsOfCode = Grouping == GroupBy::Stack || Grouping == GroupBy::Function ||
                  Grouping == GroupBy::File || Grouping == GroupBy::Binary;
  if (IsOfCode)
    Tree.emplace(*T);
  else
    Tree.emplace(*T, Base);
  StackShape How{IsOfCode ? Grouping : GroupBy::Stack,
                 Invert,
                 MergeRecursion,
                 {StripPrefixes.begin(), StripPrefixes.end()}};
  if (How.isPlain())
    return;
  Shaped = shapeStacks(*Tree, How);
  Tree.emplace(*T, Shaped);
}

/// One profile is of one memory space. Formats of one tree have all of them,
/// each below a root of its name; where there is but one it needs no root.
void FlameInput::chooseSpace() {
  if (S->selection().isOuterView() || !Categories.empty() || ShowsDiff)
    return;
  std::vector<uint32_t> Spaces = spacesOf(*S);
  if (Spaces.size() == 1)
    Space = Spaces.front();
  bool IsOneTree = OutputFormat == Format::Collapsed ||
                   OutputFormat == Format::Csv || OutputFormat == Format::Pprof;
  if (Spaces.size() < 2 || !IsOneTree || !MaxAge.empty())
    return;
  Space.reset();
  // Heaps are roots already, each of one space.
  if (Grouping == GroupBy::Heap)
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

Expected<Profile> FlameInput::profile(Metric M) const {
  if (!Categories.empty()) {
    // Heaps of tensors lie in others; each has its own peak.
    Profile All = Categories.front();
    for (const Profile &P : ArrayRef(Categories).drop_front()) {
      append_range(All.Values, P.Values);
      All.Total += P.Total;
    }
    return All;
  }
  if (M != Metric::Temporary || MaxAge.empty())
    return makeProfile(*S, M, KeyOf, Space);
  Expected<uint64_t> Age = parseTime(MaxAge);
  if (!Age)
    return makeUsageError("--max-age: " + toString(Age.takeError()));
  return shortLived(*T, S->selection(), keys(), *Age);
}

Expected<std::vector<Profile>>
FlameInput::heapProfiles(ArrayRef<Metric> Metrics) const {
  if (!Categories.empty())
    return Categories;
  // Heaps as groups are to stand side by side, and ages are not told apart.
  if (Grouping != GroupBy::Heap && MaxAge.empty())
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
