// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors, steps, layers, operators.

#include "Export/TableText.h"
#include "Report/RunPrinters.h"
#include "Sections.h"
#include "Tables/Columns.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/SummaryStats.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace memkit {

std::vector<PageSection> categorySections(const PageInput &F) {
  std::vector<PageSection> Out;
  for (ArrayRef<CategorySum> Of : categoriesByHeap(F.O.Categories)) {
    uint32_t Heap = Of.front().Heap;
    uint64_t Peak = F.T.heapStats(Heap).PeakBytes;
    PageSection &S = Out.emplace_back();
    S.Title = "Tensors at the peak of " + F.heapName(Heap).str() + ", " +
              formatSize(Peak);
    S.Titled = true;
    S.Rows = tableOf(*categoryColumns(F.T)
                          .pick("whole category_name titled category, bytes, "
                                "right whole share, blocks, kept largest_layer")
                          .rows(categoryRows(Of, Peak)));
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
  std::vector<StepReport> Shown;
  for (size_t At : tellingSteps(Steps, F.shown(Steps.size(), 5)))
    Shown.push_back(Steps[At]);
  std::vector<ColumnPick> Picks =
      picksOf("right open_step titled step, begin_ns, duration_ns titled took");
  if (any_of(Steps, [](const StepStats &S) { return !S.Shares.empty(); }))
    Picks.push_back({"space"});
  append_range(
      Picks, picksOf("peak_bytes, growth_bytes, allocations, allocated_bytes"));
  if (any_of(Steps, [&](const StepStats &S) {
        return S.Process != Steps.front().Process;
      }))
    Picks.push_back({"process_name", "process"});
  PageSection Out;
  Out.Title = "Steps";
  Out.Rows = tableOf(*stepColumns(F.T).pick(Picks).rows(stepsBySpace(Shown)));
  if (Shown.size() < Steps.size())
    Out.Notes.push_back(
        "of " + plural(Steps.size(), "step") +
        ": the highest peak, the largest growth, the slowest, first and last");
  if (any_of(Shown, [](const StepReport &S) { return S.IsOpen; }))
    Out.Notes.push_back("* ends with its process");
  return Out;
}

/// The columns of layers, and the bytes that a layer held at the peak. These
/// are known for one memory space only, and are no value of a row of another
/// one.
static TableMaker<LayerStats> layerColumns(const PageInput &F) {
  const LayerHolds &Held = F.O.Held;
  DenseMap<std::pair<uint32_t, unsigned>, uint64_t> Bytes;
  for (size_t At = 0; At != Held.Bytes.size(); ++At)
    Bytes[{F.O.Layers[At].Name, F.O.Layers[At].Backward}] = Held.Bytes[At];
  auto HeldOf = [=](const LayerStats &L) -> std::optional<uint64_t> {
    auto At = Bytes.find({L.Name, L.Backward});
    return At == Bytes.end() ? std::nullopt : std::optional(At->second);
  };
  bool BySpace = hasDevices(F.O.Layers);
  TableMaker<LayerStats> M = scopeColumns(F.T, F.O.Layers);
  M.maybe("held_bytes", HeldOf)
      .maybe("held_in_space_bytes",
             [=, &Held](const LayerStats &L) -> std::optional<uint64_t> {
               uint32_t Space = L.Shares.empty() ? 0 : L.Shares.front().Space;
               return BySpace && Space != Held.Space ? std::nullopt : HeldOf(L);
             })
      .choice("held_of", [&](const LayerStats &) {
        return Held.Bytes.empty() ? StringRef() : F.T.spaceName(Held.Space);
      });
  return M;
}

/// Picks a column that any row of All has; of all, not of the shown ones, so
/// that the columns do not depend on --top.
static void pickIfAny(ArrayRef<LayerStats> All, uint64_t LayerStats::*Of,
                      ColumnPick Column, std::vector<ColumnPick> &To) {
  Column.Style |= CS_Kept;
  if (any_of(All, [=](const LayerStats &L) { return L.*Of != 0; }))
    To.push_back(Column);
}

/// The first rows of All, each by memory space if there are devices.
static std::vector<LayerStats> rowsToShow(ArrayRef<LayerStats> All,
                                          size_t Count) {
  return hasDevices(All) ? rowsOfSpaces(All.take_front(Count))
                         : All.take_front(Count).vec();
}

std::optional<PageSection> layerSection(const PageInput &F) {
  ArrayRef<LayerStats> Layers = F.O.Layers;
  if (Layers.empty())
    return std::nullopt;
  bool HasDevices = hasDevices(Layers);
  std::string Level = HasDevices ? "level" : "heap level";
  std::vector<ColumnPick> Picks = picksOf("name_and_phase titled layer");
  if (HasDevices)
    Picks.push_back({"space_if_any", "space", "", CS_Kept});
  if (!F.O.Held.Bytes.empty())
    Picks.push_back({"held_in_space_bytes", "held", "", CS_Kept});
  Picks.push_back({"peak_bytes", Level});
  using L = LayerStats;
  pickIfAny(Layers, &L::ReservedPeakBytes, {"reserved_peak_bytes", "reserved"},
            Picks);
  pickIfAny(Layers, &L::ReservedPeakBytes, {"fragmentation_ppm", "unused"},
            Picks);
  append_range(
      Picks, picksOf("allocations, frees, calls, duration_ns titled CPU time"));
  pickIfAny(Layers, &L::SelfNs, {"self_ns", "self"}, Picks);
  pickIfAny(Layers, &L::DeviceNs, {"device_ns", "device time"}, Picks);
  pickIfAny(Layers, &L::Flops, {"flops"}, Picks);
  size_t Shown = F.shown(Layers.size(), 5);
  PageSection Out;
  Out.Title = "Layers";
  Out.Rows =
      tableOf(*layerColumns(F).pick(Picks).rows(rowsToShow(Layers, Shown)));
  if (Shown < Layers.size())
    Out.Notes.push_back("of " + plural(Layers.size(), "layer") +
                        ", forward and backward; memdump --layers has all");
  if (!F.O.Held.Bytes.empty())
    Out.Notes.push_back("held: live at the peak of " +
                        F.T.spaceName(F.O.Held.Space).str() + "; " + Level +
                        ": highest live bytes while the layer ran");
  return Out;
}

std::optional<PageSection> operatorSection(const PageInput &F) {
  ArrayRef<LayerStats> Operators = F.O.Operators;
  if (Operators.empty())
    return std::nullopt;
  std::vector<ColumnPick> Picks = picksOf(
      "name titled operator, self_ns, duration_ns titled CPU time, calls");
  pickIfAny(Operators, &LayerStats::DeviceNs, {"device_self_ns", "device self"},
            Picks);
  if (hasDevices(Operators))
    Picks.push_back({"space_if_any", "space", "", CS_Kept});
  append_range(Picks, picksOf("allocations, allocated_bytes, rise_bytes"));
  pickIfAny(Operators, &LayerStats::Flops, {"flops"}, Picks);
  size_t Shown = F.shown(Operators.size(), 5);
  PageSection Out;
  Out.Title = "Operators";
  Out.Rows = tableOf(*scopeColumns(F.T, Operators)
                          .pick(Picks)
                          .rows(rowsToShow(Operators, Shown)));
  if (Shown < Operators.size())
    Out.Notes.push_back("of " + plural(Operators.size(), "operator") +
                        ", the longest self time first; memdump --operators "
                        "has all");
  Out.Notes.push_back("self: CPU time without the operators inside; rise: the "
                      "largest of a call");
  return Out;
}

void writeStepJson(json::OStream &J, const PageInput &F) {
  writeRowsJson(
      J, "step_list",
      *stepColumns(F.T)
           .pick("step, process_id as process, begin_ns, end_ns, allocations, "
                 "frees, allocated_bytes, freed_bytes, growth_bytes, "
                 "peak_bytes, live_bytes, until_process_end, spaces")
           .rows(stepsInAll(F.O.Steps)));
}

void writeLayerJson(json::OStream &J, const PageInput &F) {
  writeRowsJson(
      J, "layer_list",
      *layerColumns(F)
           .pick("name, backward, calls, duration_ns, self_ns, "
                 "allocations, frees, allocated_bytes, peak_bytes, "
                 "reserved_peak_bytes, fragmentation_ppm, flops, "
                 "held_bytes, held_of, layer_spaces as spaces, device_ns, "
                 "device_self_ns")
           .rows(F.O.Layers));
}

void writeOperatorJson(json::OStream &J, const PageInput &F) {
  writeRowsJson(
      J, "operator_list",
      *scopeColumns(F.T, F.O.Operators)
           .pick("name, kind, calls, self_ns, duration_ns, allocations, frees, "
                 "allocated_bytes, rise_bytes, peak_bytes, flops, spaces, "
                 "device_self_ns, device_ns")
           .rows(F.O.Operators));
}

} // namespace memkit
