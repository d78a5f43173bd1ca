// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors, steps, layers, operators.

#include "Sections.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/SummaryStats.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace memkit {

using Side = Table::Side;

std::vector<PageSection> categorySections(const PageInput &F) {
  std::vector<PageSection> Out;
  ArrayRef<CategorySum> Left = F.O.Categories;
  while (!Left.empty()) {
    uint32_t Heap = Left.front().Heap;
    ArrayRef<CategorySum> Of =
        Left.take_while([&](const CategorySum &K) { return K.Heap == Heap; });
    Left = Left.drop_front(Of.size());
    uint64_t Peak = F.T.heapStats(Heap).PeakBytes;
    Table T({{"category", Side::Left},
             {"bytes", Side::Right},
             {"share", Side::Right},
             {"blocks", Side::Right},
             {"largest layer", Side::Left, true}});
    for (const CategorySum &K : Of) {
      auto Named =
          find_if(K.Layers, [](const CategorySum::Layer &L) { return L.Name; });
      std::string Layer;
      if (Named != K.Layers.end())
        Layer = F.T.string(Named->Name).str() + " " + formatSize(Named->Bytes);
      T.add({categoryName(K.Category), formatSize(K.Bytes),
             formatShare(K.Bytes, Peak), formatCount(K.Blocks), Layer});
    }
    PageSection S;
    S.Title = "Tensors at the peak of " + F.heapName(Heap).str() + ", " +
              formatSize(Peak);
    S.Titled = true;
    S.Rows = std::move(T);
    Out.push_back(std::move(S));
  }
  return Out;
}

static SpaceShare shareOf(const StepStats &S, uint32_t Space) {
  for (const SpaceShare &D : allShares(S))
    if (D.Space == Space)
      return D;
  return SpaceShare();
}

/// The memory spaces that any of the steps uses.
static std::set<uint32_t> spacesOf(ArrayRef<StepReport> Steps) {
  std::set<uint32_t> Spaces;
  for (const StepStats &S : Steps)
    for (const SpaceShare &D : allShares(S))
      Spaces.insert(D.Space);
  return Spaces;
}

/// The indices of at most Max steps, in order: for each memory space the steps
/// with the highest peak and the largest growth, then the slowest step, then
/// steps from both ends. A step that only the end of its process ended does not
/// compete for the slowest.
static std::vector<size_t> tellingSteps(ArrayRef<StepReport> Steps,
                                        size_t Max) {
  std::vector<size_t> Out;
  auto Add = [&](size_t At) {
    if (Out.size() < Max && !is_contained(Out, At))
      Out.push_back(At);
  };
  auto Highest = [&](auto Of) {
    size_t Best = 0;
    for (size_t I = 1; I != Steps.size(); ++I)
      if (Of(Steps[I]) > Of(Steps[Best]))
        Best = I;
    return Best;
  };
  for (uint32_t Space : spacesOf(Steps)) {
    Add(Highest(
        [&](const StepStats &S) { return shareOf(S, Space).PeakBytes; }));
    Add(Highest(
        [&](const StepStats &S) { return growthOf(shareOf(S, Space)); }));
  }
  Add(Highest([&](const StepReport &S) {
    return S.IsOpen || S.EndNs < S.BeginNs ? 0 : S.EndNs - S.BeginNs;
  }));
  for (size_t I = 0; I != Steps.size() && Out.size() < Max; ++I) {
    Add(Steps.size() - 1 - I);
    Add(I);
  }
  sort(Out);
  return Out;
}

std::optional<PageSection> stepSection(const PageInput &F) {
  ArrayRef<StepReport> Steps = F.O.Steps;
  if (Steps.empty())
    return std::nullopt;
  bool HasProcesses = any_of(Steps, [&](const StepStats &S) {
    return S.Process != Steps.front().Process;
  });
  bool HasDevices =
      any_of(Steps, [](const StepStats &S) { return !S.Shares.empty(); });
  std::vector<Table::Column> Columns = {
      {"step", Side::Right}, {"begin", Side::Right}, {"took", Side::Right}};
  if (HasDevices)
    Columns.push_back({"space", Side::Left});
  for (const char *Title : {"peak", "growth", "allocations", "allocated"})
    Columns.push_back({Title, Side::Right});
  if (HasProcesses)
    Columns.push_back({"process", Side::Left, true});
  Table T(Columns);
  bool HasOpen = false;
  for (size_t At : tellingSteps(Steps, F.shown(Steps.size(), 5))) {
    const StepReport &S = Steps[At];
    HasOpen |= S.IsOpen;
    for (const SpaceShare &D : allShares(S)) {
      std::vector<std::string> Row = {
          (S.IsOpen ? "*" : "") + std::to_string(S.Step), formatTime(S.BeginNs),
          formatTime(S.EndNs > S.BeginNs ? S.EndNs - S.BeginNs : 0)};
      if (HasDevices)
        Row.push_back(F.T.spaceName(D.Space).str());
      append_range(
          Row, std::initializer_list<std::string>{
                   formatSize(D.PeakBytes), formatSizeChange(growthOf(D)),
                   formatCount(D.Allocations), formatSize(D.AllocatedBytes)});
      if (HasProcesses)
        Row.push_back(F.T.processName(S.Process).str());
      T.add(std::move(Row));
    }
  }
  PageSection Out;
  Out.Title = "Steps";
  Out.Rows = std::move(T);
  size_t Shown = F.shown(Steps.size(), 5);
  if (Shown < Steps.size())
    Out.Notes.push_back(
        "of " + plural(Steps.size(), "step") +
        ": the highest peak, the largest growth, the slowest, first and last");
  if (HasOpen)
    Out.Notes.push_back("* ends with its process");
  return Out;
}

static bool hasFlops(ArrayRef<LayerStats> Rows) {
  return any_of(Rows, [](const LayerStats &L) { return L.Flops != 0; });
}

static std::string flopsText(const LayerStats &L) {
  return L.Flops ? formatCount(L.Flops) : "";
}

std::optional<PageSection> layerSection(const PageInput &F) {
  ArrayRef<LayerStats> Layers = F.O.Layers;
  if (Layers.empty())
    return std::nullopt;
  bool HasReserved = any_of(
      Layers, [](const LayerStats &L) { return L.ReservedPeakBytes != 0; });
  bool HasDevices = hasDevices(Layers);
  std::vector<Table::Column> Columns = {{"layer", Side::Left, true}};
  if (HasDevices)
    Columns.push_back({"space", Side::Left});
  bool HasHeld = !F.O.Held.Bytes.empty();
  if (HasHeld)
    Columns.push_back({"held", Side::Right});
  Columns.push_back({HasDevices ? "level" : "heap level", Side::Right});
  if (HasReserved) {
    Columns.push_back({"reserved", Side::Right});
    Columns.push_back({"unused", Side::Right});
  }
  for (const char *Title : {"allocations", "frees", "calls", "CPU time"})
    Columns.push_back({Title, Side::Right});
  bool HasSelf =
      any_of(Layers, [](const LayerStats &L) { return L.SelfNs != 0; });
  if (HasSelf)
    Columns.push_back({"self", Side::Right});
  bool HasFlops = hasFlops(Layers);
  if (HasFlops)
    Columns.push_back({"flops", Side::Right});
  Table T(Columns);
  size_t Shown = F.shown(Layers.size(), 5);
  // Each row with its index in Layers.
  std::vector<std::pair<LayerStats, size_t>> Rows;
  for (size_t At = 0; At != Shown; ++At)
    for (const LayerStats &L :
         HasDevices ? rowsOfSpaces(Layers[At]) : std::vector{Layers[At]})
      Rows.push_back({L, At});
  for (const auto &[L, At] : Rows) {
    std::vector<std::string> Row = {F.T.string(L.Name).str() +
                                    (L.Backward ? " (backward)" : "")};
    uint32_t Space = L.Shares.empty() ? 0 : L.Shares.front().Space;
    if (HasDevices)
      Row.push_back(L.Shares.empty() ? "" : F.T.spaceName(Space).str());
    // Held bytes are known for one memory space only.
    bool IsHeldSpace = !HasDevices || Space == F.O.Held.Space;
    if (HasHeld)
      Row.push_back(IsHeldSpace ? formatSize(F.O.Held.Bytes[At]) : "");
    Row.push_back(formatSize(L.PeakBytes));
    if (HasReserved) {
      bool Known = L.ReservedPeakBytes != 0;
      Row.push_back(Known ? formatSize(L.ReservedPeakBytes) : "");
      Row.push_back(Known ? formatShare(L.FragmentationPpm) : "");
    }
    Row.push_back(formatCount(L.Allocations));
    Row.push_back(formatCount(L.Frees));
    Row.push_back(formatCount(L.Calls));
    Row.push_back(formatTime(L.DurationNs));
    if (HasSelf)
      Row.push_back(formatTime(L.SelfNs));
    if (HasFlops)
      Row.push_back(flopsText(L));
    T.add(std::move(Row));
  }
  PageSection Out;
  Out.Title = "Layers";
  if (Shown < Layers.size())
    Out.Notes.push_back("of " + plural(Layers.size(), "layer") +
                        ", forward and backward; memdump --layers has all");
  if (HasHeld)
    Out.Notes.push_back(
        "held: live at the peak of " + F.T.spaceName(F.O.Held.Space).str() +
        (HasDevices ? "; level" : "; heap level") +
        std::string(": highest live bytes while the layer ran"));
  Out.Rows = std::move(T);
  return Out;
}

std::optional<PageSection> operatorSection(const PageInput &F) {
  ArrayRef<LayerStats> Operators = F.O.Operators;
  if (Operators.empty())
    return std::nullopt;
  bool HasDevices = hasDevices(Operators);
  std::vector<Table::Column> Columns = {{"operator", Side::Left, true}};
  for (const char *Title : {"self", "CPU time", "calls"})
    Columns.push_back({Title, Side::Right});
  if (HasDevices)
    Columns.push_back({"space", Side::Left});
  for (const char *Title : {"allocations", "allocated", "rise"})
    Columns.push_back({Title, Side::Right});
  bool HasFlops = hasFlops(Operators);
  if (HasFlops)
    Columns.push_back({"flops", Side::Right});
  Table T(Columns);
  size_t Shown = F.shown(Operators.size(), 5);
  for (const LayerStats &O : Operators.take_front(Shown))
    for (const LayerStats &L : HasDevices ? rowsOfSpaces(O) : std::vector{O}) {
      std::vector<std::string> Row = {
          F.T.string(L.Name).str(), formatTime(L.SelfNs),
          formatTime(L.DurationNs), formatCount(L.Calls)};
      if (HasDevices)
        Row.push_back(L.Shares.empty()
                          ? ""
                          : F.T.spaceName(L.Shares.front().Space).str());
      for (std::string Cell :
           {formatCount(L.Allocations), formatSize(L.AllocatedBytes),
            formatSize(L.RiseBytes)})
        Row.push_back(std::move(Cell));
      if (HasFlops)
        Row.push_back(flopsText(L));
      T.add(std::move(Row));
    }
  PageSection Out;
  Out.Title = "Operators";
  if (Shown < Operators.size())
    Out.Notes.push_back("of " + plural(Operators.size(), "operator") +
                        ", the longest self time first; memdump --operators "
                        "has all");
  Out.Notes.push_back("self: CPU time without the operators inside; rise: the "
                      "largest of a call");
  Out.Rows = std::move(T);
  return Out;
}

} // namespace memkit
