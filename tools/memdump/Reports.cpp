// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memdump's reports: rows with one form for each format.

#include "Reports.h"
#include "Cli/Terminal.h"
#include "Export/TableText.h"
#include "Options.h"
#include "Report/ProgramPrinters.h"
#include "Report/RunPrinters.h"
#include "Tables/Columns.h"
#include "TraceText/EnumNames.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

static void writeText(raw_ostream &OS, const DumpReport &R) {
  if (R.Parts.empty())
    OS << R.WhyNone << '\n';
  StringRef Between;
  for (const ReportPart &P : R.Parts) {
    OS << Between;
    if (!P.Title.empty())
      OS << P.Title << "\n\n";
    tableOf(*P.Rows).print(OS, outputWidth());
    if (!P.Note.empty())
      OS << P.Note << '\n';
    Between = "\n";
  }
}

void writeReport(raw_ostream &OS, const DumpReport &R) {
  if (OutputFormat == DumpFormat::Csv)
    return writeRowsCsv(OS, *R.Csv);
  if (OutputFormat == DumpFormat::Text)
    return writeText(OS, R);
  json::OStream J(OS, /*IndentSize=*/2);
  J.object([&] { writeRowsJson(J, R.Name, *R.Json); });
  OS << '\n';
}

//===----------------------------------------------------------------------===//
// Layers, operators, scopes
//===----------------------------------------------------------------------===//

namespace {
/// The columns of a report about scopes of a kind.
struct ScopePicks {
  StringRef Name;                 ///< DumpReport::Name
  std::vector<ColumnPick> Titles; ///< for people, before the memory space
  std::vector<ColumnPick> Shown;  ///< for people, after it
  std::vector<ColumnPick> Machine;
  ColumnPick Spaces; ///< in JSON, after Machine
};
} // namespace

static DumpReport reportOf(const Trace &T, ArrayRef<LayerStats> All,
                           const ScopePicks &P) {
  bool HasSpaces = hasDevices(All);
  std::vector<ColumnPick> Shown = P.Titles;
  if (HasSpaces)
    Shown.push_back({"space_if_any", "space", "", CS_Kept});
  append_range(Shown, P.Shown);
  std::vector<ColumnPick> Json = P.Machine;
  Json.push_back(P.Spaces);
  TableMaker<LayerStats> Columns = scopeColumns(T, All),
                         Csv = Columns.pick(P.Machine);
  addDeviceColumns(T, All, Csv);
  DumpReport Out;
  Out.Name = P.Name;
  Out.Parts.push_back({"", Columns.pick(Shown).rows(
                               HasSpaces ? rowsOfSpaces(All) : All.vec())});
  Out.Json = Columns.pick(Json).rows(All.vec());
  Out.Csv = Csv.rows(All.vec());
  return Out;
}

DumpReport layerReport(const Trace &T, ArrayRef<LayerStats> Layers) {
  // A layer runs from its first recorded operator to its last, in time of the
  // processor, not of a device. Reserved bytes are of devices.
  DumpReport Out = reportOf(
      T, Layers,
      {"layers",
       picksOf("name titled layer, phase"),
       picksOf("calls, duration_ns titled CPU time, self_if_any_ns titled "
               "self, device_ns titled device time, device_self_ns titled "
               "device self, allocations, frees, allocated_bytes, peak_bytes, "
               "reserved_peak_bytes titled reserved, fragmentation_ppm titled "
               "of it free, flops"),
       picksOf("name, calls, duration_ns, self_if_any_ns as self_ns, "
               "allocations, frees, allocated_bytes, peak_bytes, backward, "
               "reserved_peak_bytes, fragmentation_ppm, flops, device_ns, "
               "device_self_ns"),
       {"layer_spaces", "", "spaces"}});
  if (Layers.empty())
    Out.Parts.clear();
  Out.WhyNone = whyNoLayers(T);
  return Out;
}

DumpReport operatorReport(const Trace &T, ArrayRef<LayerStats> Operators) {
  return reportOf(
      T, Operators,
      {"operators",
       picksOf("name titled operator"),
       picksOf("calls, self_ns, duration_ns titled CPU time, mean_duration_ns "
               "titled a call, device_self_ns titled device self, device_ns "
               "titled device time, allocations, allocated_bytes, freed_bytes, "
               "rise_bytes, peak_bytes, flops, whole shapes"),
       picksOf("name, calls, self_ns, duration_ns, mean_duration_ns, "
               "allocations, frees, allocated_bytes, freed_bytes, rise_bytes, "
               "peak_bytes, flops, kind, shapes, device_self_ns, device_ns"),
       {"spaces"}});
}

DumpReport scopeReport(const Trace &T, ArrayRef<LayerStats> Scopes) {
  std::vector<ColumnPick> Shown =
      picksOf("calls, duration_ns titled time, mean_duration_ns titled mean "
              "time, device_ns titled device time, allocations, "
              "allocated_bytes, mean_allocated_bytes titled "
              "mean, host_freed_bytes titled freed, rise_bytes, peak_bytes");
  if (any_of(Scopes,
             [](const LayerStats &L) { return L.TensorAllocations != 0; }))
    append_range(
        Shown,
        picksOf(
            "tensor_allocations titled tensors, tensor_frees titled deleted, "
            "tensor_allocated_bytes titled tensor bytes, tensor_peak_bytes"));
  return reportOf(
      T, Scopes,
      {"scopes",
       picksOf("name titled scope"),
       std::move(Shown),
       picksOf("name, calls, duration_ns, allocations, frees, allocated_bytes, "
               "mean_allocated_bytes, host_freed_bytes as freed_bytes, "
               "peak_bytes, rise_bytes, mean_duration_ns, tensor_allocations, "
               "tensor_frees, tensor_allocated_bytes, tensor_freed_bytes, "
               "tensor_peak_bytes, reserved_peak_bytes, kind, device_ns"),
       {"spaces"}});
}

//===----------------------------------------------------------------------===//
// Steps, tensors, processes
//===----------------------------------------------------------------------===//

DumpReport stepReport(const Trace &T, ArrayRef<StepReport> Steps) {
  std::vector<ColumnPick> Shown =
      picksOf("process_id titled process, whole step, begin_ns, duration_ns "
              "titled took");
  if (any_of(Steps, [](const StepStats &S) { return !S.Shares.empty(); }))
    Shown.push_back({"space"});
  append_range(Shown,
               picksOf("allocations, frees, allocated_bytes, freed_bytes, "
                       "peak_bytes, live_bytes titled live at end"));
  TableMaker<StepRow> Columns = stepColumns(T);
  DumpReport Out;
  Out.Name = "steps";
  Out.Parts.push_back({"", Columns.pick(Shown).rows(stepsBySpace(Steps))});
  Out.Json =
      Columns.pick("step, process_id as process, begin_ns, end_ns, spaces")
          .rows(stepsInAll(Steps));
  Out.Csv = Columns
                .pick("process_id as process, step, begin_ns, end_ns, space, "
                      "allocations, frees, allocated_bytes, freed_bytes, "
                      "peak_bytes, live_bytes")
                .rows(stepsBySpace(Steps));
  return Out;
}

static std::string titleOf(const Trace &T, ArrayRef<CategorySum> OfHeap) {
  uint64_t Unknown = 0;
  for (const CategorySum &K : OfHeap)
    Unknown += K.Category == TensorCategory::Unknown ? K.Bytes : 0;
  uint32_t Heap = OfHeap.front().Heap;
  const HeapStats &H = T.heapStats(Heap);
  return T.heapName(Heap).str() + ": " + formatSize(H.PeakBytes) +
         " at the peak, " + formatTime(H.PeakTimeNs) + "; " +
         formatShare(Unknown, H.PeakBytes) + " of it unknown";
}

DumpReport categoryReport(const Trace &T, ArrayRef<CategorySum> Categories) {
  DumpReport Out;
  Out.Name = "categories";
  for (ArrayRef<CategorySum> Of : categoriesByHeap(Categories))
    Out.Parts.push_back({titleOf(T, Of), categoryTable(T, Of, bytesOf(Of))});
  Out.WhyNone = "no tensors by category: there were none, or the trace was not "
                "completed";
  Out.Json = categoryObjects(T, Categories);
  std::vector<TensorCategoryRow> ByLayer;
  for (const CategorySum &K : Categories)
    for (const CategorySum::Layer &L : K.Layers)
      ByLayer.push_back({&K, 0, L});
  Out.Csv = categoryColumns(T)
                .pick("heap, category_key as category, layer, layer_blocks as "
                      "blocks, layer_bytes as bytes")
                .rows(std::move(ByLayer));
  return Out;
}

DumpReport processReport(const Trace &T, const RunReport &R) {
  DumpReport Out;
  Out.Name = "processes";
  Out.Parts.push_back({"", processTable(R, T)});
  Out.Json = processObjects(R, T);
  return Out;
}

//===----------------------------------------------------------------------===//
// JAX
//===----------------------------------------------------------------------===//

/// What a reader should know of the work that rows lack.
static std::string noteOfWork(const Trace &T) {
  std::vector<std::string> Notes;
  uint64_t Untied = 0;
  for (const DeviceBusy &B : queryDeviceBusy(T))
    Untied += B.Untied;
  if (Untied)
    Notes.push_back(formatCount(Untied) +
                    (Untied == 1 ? " call has" : " calls have") +
                    " no known launch, and so no line, operator and layer");
  if (uint64_t Lost = T.losses()[lossIndex(LossKind::DeviceWork)])
    Notes.push_back(lostWorkSentence(Lost));
  if (uint64_t Cut = T.losses()[lossIndex(LossKind::DeviceSpans)])
    Notes.push_back(cutSpansSentence(Cut));
  return join(Notes, "; ");
}

DumpReport kernelReport(const SelectedStats &S) {
  const Trace &T = S.trace();
  DumpReport Out;
  Out.Name = "kernels";
  auto Columns = [&] { return workColumns(T); };
  auto Add = [&](StringRef Title, StringRef Of, WorkBy By, bool HasBytes) {
    std::vector<ColumnPick> Shown{{"name", Of}};
    append_range(Shown, picksOf("device, calls, duration_ns titled device "
                                "time, mean_duration_ns titled a call, "
                                "longest_ns titled longest"));
    if (HasBytes)
      Shown.push_back({"bytes"});
    Out.Parts.push_back(
        {Title.str(), Columns().pick(Shown).rows(queryDeviceWork(S, By))});
  };
  constexpr StringLiteral Machine(
      "name, kind, device, stream, graph, process, operator, layer, line, "
      "scope_path, calls, duration_ns, longest_ns, bytes, begin_ns, end_ns, "
      "untied");
  std::vector<DeviceWorkRow> Each = queryDeviceWork(S, WorkBy::Each);
  if (!Each.empty()) {
    Add("kernels, copies and memsets of devices", "work", WorkBy::Kernel, true);
    Add("by line", "line", WorkBy::Line, false);
    Add("by stream", "stream", WorkBy::Stream, false);
    Out.Parts.back().Note = noteOfWork(T);
  }
  Out.WhyNone = "no work of devices: memrec --cuda=time records it";
  Out.Json = Columns().pick(Machine).rows(Each);
  Out.Csv = Columns().pick(Machine).rows(std::move(Each));
  return Out;
}

DumpReport programReport(ArrayRef<CompiledProgram> Programs) {
  DumpReport Out;
  Out.Name = "programs";
  if (!Programs.empty())
    Out.Parts.push_back({"", programTable(Programs), programNote(Programs)});
  Out.WhyNone = "no compiled programs of JAX";
  Out.Json = programObjects(Programs);
  Out.Csv = programColumns().pick(programPicks({"name"})).rows(Programs.vec());
  return Out;
}

DumpReport arrayReport(const Trace &T, ArrayRef<ArraysAtMark> Arrays) {
  DumpReport Out;
  Out.Name = "arrays";
  for (const ArraysAtMark &A : Arrays)
    Out.Parts.push_back({arrayTitle(A), arrayTable(T, A, A.Shapes.size())});
  Out.WhyNone =
      "no live arrays of JAX: they are recorded at marks, memkit.mark()";
  Out.Json = arrayObjects(T, Arrays);
  Out.Csv =
      arrayColumns(T)
          .pick("time_ns, process_id as process, mark, name, arrays, bytes")
          .rows(arraysByShape(Arrays));
  return Out;
}

} // namespace memkit
