// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps and processes by memory space.

#include "Support/CsvField.h"
#include "Support/Table.h"
#include "TraceSummary.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/SummaryStats.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

using Side = Table::Align;

//===----------------------------------------------------------------------===//
// Shares of memory spaces
//===----------------------------------------------------------------------===//

namespace {
struct ShareField {
  StringRef Key;
  uint64_t SpaceShare::*Value;
  unsigned Of; ///< ShareOf bits that have it
};
} // namespace

static constexpr unsigned All = SO_Step | SO_Process | SO_Layer | SO_Scope,
                          Counted = All & ~SO_Process;
static constexpr ShareField ShareFields[] = {
    {"allocations", &SpaceShare::Allocations, Counted},
    {"frees", &SpaceShare::Frees, Counted},
    {"allocated_bytes", &SpaceShare::AllocatedBytes, Counted},
    // What a scope freed of the host is counted in blocks alone.
    {"freed_bytes", &SpaceShare::FreedBytes, SO_Step | SO_Layer},
    {"live_bytes", &SpaceShare::LiveBytes, SO_Step | SO_Process},
    {"peak_bytes", &SpaceShare::PeakBytes, All},
    {"rise_bytes", &SpaceShare::RiseBytes, SO_Scope}};

void memkit::writeSpaces(json::OStream &J, const TraceSummary &S,
                         ArrayRef<SpaceShare> Shares, ShareOf Of) {
  J.attributeArray("spaces", [&] {
    for (const SpaceShare &D : Shares)
      J.object([&] {
        J.attribute("name", json::fixUTF8(S.space(D.Space)));
        for (const ShareField &F : ShareFields)
          if (F.Of & Of)
            J.attribute(F.Key, D.*F.Value);
        if (Of == SO_Layer)
          J.attribute("reserved_peak_bytes",
                      D.ReservedPeakBytes ? json::Value(D.ReservedPeakBytes)
                                          : json::Value(nullptr));
      });
  });
}

std::string memkit::devicePeaks(const TraceSummary &S,
                                const ProcessStats *Stats) {
  std::string Text;
  if (Stats)
    for (const SpaceShare &D : Stats->Shares)
      Text += (Text.empty() ? "" : ", ") + formatSize(D.PeakBytes) + " " +
              S.space(D.Space).str();
  return Text;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static std::vector<StepStats> sortedSteps(const TraceSummary &S) {
  std::vector<StepStats> Steps = S.Stats.Steps;
  stable_sort(Steps, [](const StepStats &A, const StepStats &B) {
    return std::tie(A.Process, A.BeginNs) < std::tie(B.Process, B.BeginNs);
  });
  return Steps;
}

static uint64_t tookNs(const StepStats &S) {
  return S.EndNs > S.BeginNs ? S.EndNs - S.BeginNs : 0;
}

void memkit::printSteps(raw_ostream &OS, const TraceSummary &S,
                        unsigned Width) {
  bool HasDevices = any_of(
      S.Stats.Steps, [](const StepStats &T) { return !T.Shares.empty(); });
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
  for (const StepStats &Step : sortedSteps(S))
    for (const SpaceShare &D : allShares(Step)) {
      std::vector<std::string> Row = {
          std::to_string(Step.Process), std::to_string(Step.Step),
          formatTime(Step.BeginNs), formatTime(tookNs(Step))};
      if (HasDevices)
        Row.push_back(S.space(D.Space).str());
      append_range(Row,
                   std::initializer_list<std::string>{
                       formatCount(D.Allocations), formatCount(D.Frees),
                       formatSize(D.AllocatedBytes), formatSize(D.FreedBytes),
                       formatSize(D.PeakBytes), formatSize(D.LiveBytes)});
      T.add(std::move(Row));
    }
  T.print(OS, Width);
}

void memkit::writeStepsJson(json::OStream &J, const TraceSummary &S) {
  J.attributeArray("steps", [&] {
    for (const StepStats &Step : sortedSteps(S))
      J.object([&] {
        J.attribute("step", Step.Step);
        J.attribute("process", Step.Process);
        J.attribute("begin_ns", Step.BeginNs);
        J.attribute("end_ns", Step.EndNs);
        writeSpaces(J, S, allShares(Step), SO_Step);
      });
  });
}

/// A row for each step and space.
void memkit::printStepsCsv(raw_ostream &OS, const TraceSummary &S) {
  OS << "process,step,begin_ns,end_ns,space,allocations,frees,"
        "allocated_bytes,freed_bytes,peak_bytes,live_bytes\n";
  for (const StepStats &Step : sortedSteps(S))
    for (const SpaceShare &D : allShares(Step)) {
      OS << Step.Process << ',' << Step.Step << ',' << Step.BeginNs << ','
         << Step.EndNs << ',';
      printField(OS, S.space(D.Space));
      for (uint64_t N : {D.Allocations, D.Frees, D.AllocatedBytes, D.FreedBytes,
                         D.PeakBytes, D.LiveBytes})
        OS << ',' << N;
      OS << '\n';
    }
}
