// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps and processes by memory space.

#include "ReportPrinters.h"
#include "Support/CsvField.h"
#include "Support/Json.h"
#include "Support/Table.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/SummaryStats.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

using Side = Table::Side;

//===----------------------------------------------------------------------===//
// Shares of memory spaces
//===----------------------------------------------------------------------===//

namespace {
struct ShareField {
  StringRef Key;
  uint64_t SpaceShare::*Value;
  unsigned Of; ///< ShareOf bits of the rows that have the field
};
} // namespace

static constexpr unsigned Counted = SO_Step | SO_Layer | SO_Scope | SO_Operator,
                          All = Counted | SO_Process;
static constexpr ShareField ShareFields[] = {
    {"allocations", &SpaceShare::Allocations, Counted},
    {"frees", &SpaceShare::Frees, Counted},
    {"allocated_bytes", &SpaceShare::AllocatedBytes, Counted},
    {"freed_bytes", &SpaceShare::FreedBytes, Counted},
    {"live_bytes", &SpaceShare::LiveBytes, SO_Step | SO_Process},
    {"peak_bytes", &SpaceShare::PeakBytes, All},
    {"rise_bytes", &SpaceShare::RiseBytes, SO_Scope | SO_Operator}};

void memkit::writeSpaces(json::OStream &J, const Trace &T,
                         ArrayRef<SpaceShare> Shares, ShareOf Of) {
  J.attributeArray("spaces", [&] {
    for (const SpaceShare &D : Shares)
      J.object([&] {
        J.attribute("name", jsonText(T.spaceName(D.Space)));
        for (const ShareField &F : ShareFields)
          if (F.Of & Of)
            J.attribute(F.Key, D.*F.Value);
        if (Of == SO_Layer)
          J.attribute("reserved_peak_bytes",
                      jsonIfKnown(D.ReservedPeakBytes, D.ReservedPeakBytes));
      });
  });
}

std::string memkit::devicePeaks(const Trace &T,
                                const std::optional<ProcessStats> &Stats) {
  std::string Text;
  if (Stats)
    for (const SpaceShare &D : Stats->Shares)
      Text += (Text.empty() ? "" : ", ") + formatSize(D.PeakBytes) + " " +
              T.spaceName(D.Space).str();
  return Text;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static uint64_t tookNs(const StepStats &S) {
  return S.EndNs > S.BeginNs ? S.EndNs - S.BeginNs : 0;
}

void memkit::printSteps(raw_ostream &OS, const Trace &Of,
                        ArrayRef<StepReport> Steps, unsigned Width) {
  bool HasDevices =
      any_of(Steps, [](const StepStats &S) { return !S.Shares.empty(); });
  std::vector<Table::Column> Columns = {{"process", Side::Right},
                                        {"step", Side::Right},
                                        {"begin", Side::Right},
                                        {"took", Side::Right}};
  if (HasDevices)
    Columns.push_back({"space", Side::Left});
  for (const char *Title :
       {"allocations", "frees", "allocated", "freed", "peak", "live at end"})
    Columns.push_back({Title, Side::Right});
  Table T(Columns);
  for (const StepReport &Step : Steps)
    for (const SpaceShare &D : allShares(Step)) {
      std::vector<std::string> Row = {
          std::to_string(Step.Process), std::to_string(Step.Step),
          formatTime(Step.BeginNs), formatTime(tookNs(Step))};
      if (HasDevices)
        Row.push_back(Of.spaceName(D.Space).str());
      append_range(Row,
                   std::initializer_list<std::string>{
                       formatCount(D.Allocations), formatCount(D.Frees),
                       formatSize(D.AllocatedBytes), formatSize(D.FreedBytes),
                       formatSize(D.PeakBytes), formatSize(D.LiveBytes)});
      T.add(std::move(Row));
    }
  T.print(OS, Width);
}

void memkit::writeStepsJson(json::OStream &J, const Trace &T,
                            ArrayRef<StepReport> Steps) {
  J.attributeArray("steps", [&] {
    for (const StepReport &Step : Steps)
      J.object([&] {
        J.attribute("step", Step.Step);
        J.attribute("process", Step.Process);
        J.attribute("begin_ns", Step.BeginNs);
        J.attribute("end_ns", Step.EndNs);
        writeSpaces(J, T, allShares(Step), SO_Step);
      });
  });
}

/// Prints a row for each step and space.
void memkit::printStepsCsv(raw_ostream &OS, const Trace &T,
                           ArrayRef<StepReport> Steps) {
  OS << "process,step,begin_ns,end_ns,space,allocations,frees,"
        "allocated_bytes,freed_bytes,peak_bytes,live_bytes\n";
  for (const StepReport &Step : Steps)
    for (const SpaceShare &D : allShares(Step)) {
      OS << Step.Process << ',' << Step.Step << ',' << Step.BeginNs << ','
         << Step.EndNs << ',';
      printField(OS, T.spaceName(D.Space));
      for (uint64_t N : {D.Allocations, D.Frees, D.AllocatedBytes, D.FreedBytes,
                         D.PeakBytes, D.LiveBytes})
        OS << ',' << N;
      OS << '\n';
    }
}
