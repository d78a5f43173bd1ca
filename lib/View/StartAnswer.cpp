// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the page needs at first: the verdict, and names of all parts.

#include "Export/TableText.h"
#include "Support/CommandText.h"
#include "Support/Json.h"
#include "Tables/Columns.h"
#include "TraceView.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include <csignal>
#include <cstring>

using namespace llvm;

namespace memkit {

using json::OStream;

/// The view with the evidence of a row.
static StringRef viewOf(StringRef Label) {
  return Label == "grows" || Label == "LEAK" ? "growth" : "";
}

static void writeWords(OStream &J, const PageInput &F) {
  std::vector<HeadRow> Rows = headRows(F);
  J.attribute("verdict", jsonText(verdictText(F)));
  J.attribute("alarm",
              any_of(Rows, [](const HeadRow &R) { return R.NeedsLook; }));
  J.attributeArray("facts", [&] {
    for (const HeadRow &R : Rows)
      J.object([&] {
        J.attribute("label", R.Label);
        J.attribute("text", jsonText(R.Text));
        J.attribute("alarm", R.NeedsLook);
        J.attribute("view", viewOf(R.Label));
      });
  });
  J.attributeArray("notes", [&] {
    for (const std::string &Line : noteLines(F))
      J.object([&] {
        J.attribute("text", jsonText(Line));
        J.attribute("view", "");
      });
  });
}

static void writeSpaces(OStream &J, const PageInput &F) {
  writeRowsJson(J, "spaces",
                *spaceColumns(F.T)
                     .pick("id, space as name, peak_bytes, peak_time_ns as "
                           "peak_ns, live_at_exits_bytes as live_bytes, "
                           "peak_step")
                     .rows(F.R.Spaces));
  writeRowsJson(J, "heaps",
                *heapColumns()
                     .pick("id, heap as name, space_id as space, in_totals, "
                           "peak_bytes, live_at_exits_bytes as live_bytes, "
                           "allocations")
                     .rows(F.R.Heaps));
}

/// The steps of the process with most steps.
static void writeSteps(OStream &J, const PageInput &F) {
  std::map<uint32_t, size_t> Counts;
  for (const StepReport &S : F.O.Steps)
    ++Counts[S.Process];
  uint32_t Most = 0;
  for (auto [Process, Count] : Counts)
    if (!Most || Count > Counts[Most])
      Most = Process;
  J.attributeObject("steps", [&] {
    J.attributeArray("id", [&] {
      for (const StepReport &S : F.O.Steps)
        if (S.Process == Most)
          J.value(S.Step);
    });
    J.attributeArray("begin_ns", [&] {
      for (const StepReport &S : F.O.Steps)
        if (S.Process == Most)
          J.value(S.BeginNs);
    });
  });
}

static std::string endText(const ProcessReport &P) {
  if (!P.IsRecorded)
    return "not recorded";
  if (!P.Stats || !P.Stats->Ended)
    return "still running";
  if (P.Stats->Signal)
    return std::string("killed by ") + strsignal(int(P.Stats->Signal));
  return P.Stats->ExitStatus < 0
             ? std::string("ended")
             : "exit status " + std::to_string(P.Stats->ExitStatus);
}

static void writeProcesses(OStream &J, const PageInput &F) {
  using R = ProcessReport;
  RowListRef Rows =
      processColumns(F.T)
          .number("begin_ns",
                  [&](const R &P) { return F.T.processes()[P.Id - 1].StartNs; })
          .number("last_ns",
                  [&](const R &P) {
                    return P.Stats && P.Stats->Ended ? P.Stats->EndNs
                                                     : F.R.EndNs;
                  })
          .name("how", endText)
          .pick("process_id as id, process as pid, name, begin_ns, last_ns as "
                "end_ns, peak_or_0_bytes as peak_bytes, live_or_0_bytes as "
                "live_bytes, how")
          .rows(F.R.Processes);
  J.attributeObject("processes", [&] { writeColumnsJson(J, *Rows); });
}

/// The groupings of curves that the trace has.
std::vector<StringRef> TraceView::curveGroupings() const {
  const Trace &T = trace();
  // The page opens with the first one.
  std::vector<StringRef> Out = {"heap", "library"};
  Out.insert(Over->Where->hasLines() ? Out.begin() : Out.begin() + 1, "line");
  if (T.processes().size() > 1)
    Out.push_back("process");
  if (any_of(Over->Residents,
             [](const ResidentSeries &Of) { return !Of.empty(); }))
    Out.push_back("resident");
  if (!hasEvents())
    return Out;
  if (T.threads().size() > 1)
    Out.push_back("thread");
  if (hasTensorCategories(T))
    Out.push_back("category");
  if (hasLayers())
    Out.push_back("layer");
  if (!T.scopePaths().empty())
    Out.push_back("scope");
  return Out;
}

bool TraceView::hasLayers() const {
  return any_of(trace().scopePaths(), [&](const ScopePath &P) {
    return trace().scopes()[P.Scope - 1].Kind == ScopeKind::Layer;
  });
}

bool TraceView::hasEvents() const {
  return any_of(trace().reader().sections(), [](const SectionInfo &B) {
    return B.Kind == SectionKind::Events;
  });
}

Expected<std::string> TraceView::start() {
  if (Error E = readOverview())
    return std::move(E);
  if (Error E = readMarks())
    return std::move(E);
  PageInput F = input();
  const Trace &T = trace();
  bool HasEvents = hasEvents();
  std::string Text;
  raw_string_ostream OS(Text);
  OStream J(OS);
  J.object([&] {
    J.attribute("memkit", MEMKIT_VERSION);
    J.attribute("trace", jsonText(sys::path::filename(Path)));
    J.attribute("program", jsonText(oneLine(queryProgram(T))));
    J.attribute("command", jsonText(commandText(Run.Run.Command)));
    J.attribute("end_ns", endNs());
    J.attribute("state", T.isBeingRecorded() ? "recording"
                         : T.isComplete()    ? "finished"
                                             : "cut");
    J.attribute("live", isLive());
    J.attribute("changed", hasChanged());
    writeWords(J, F);
    writeSpaces(J, F);
    writeSteps(J, F);
    writeMarks(J);
    writeProcesses(J, F);
    J.attributeArray("curves", [&] {
      for (StringRef By : curveGroupings())
        J.value(By);
    });
    J.attributeArray("groups", [&] {
      bool HasLines = Over->Where->hasLines();
      for (StringRef By : {HasLines ? "line" : "stack",
                           HasLines ? "stack" : "line", "library", "heap"})
        J.value(By);
      if (hasLayers())
        J.value("layer");
      if (hasEvents() && hasTensorCategories(T))
        J.value("category");
    });
    J.attribute("layers_space", spaceOfTensors());
    J.attributeArray("devices", [&] {
      for (const SpaceReport &S : Run.Spaces)
        if (S.Id)
          J.object([&] {
            J.attribute("id", S.Id);
            J.attribute("name", jsonText(S.Name));
            J.attribute("has_map", HasEvents && S.Stats.PeakBytes != 0);
          });
    });
    J.attributeArray("views", [&] {
      if (!Compared.empty())
        J.value("compare");
      for (StringRef View : {"overview", "timeline", "flame", "growth"})
        J.value(View);
      if (HasEvents && any_of(Run.Spaces, [](const SpaceReport &S) {
            return S.Id && S.Stats.PeakBytes;
          }))
        J.value("map");
      if (HasEvents && hasLayers() && !Over->Steps.empty())
        J.value("layers");
      if (!Over->Operators.empty())
        J.value("operators");
      if (!Over->Compiled.empty())
        J.value("programs");
      J.value("processes");
    });
    if (!Compared.empty()) {
      J.attributeArray("traces", [&] {
        for (const std::string &Name : Compared)
          J.value(jsonText(Name));
      });
      J.attribute("trace_shown", WhichOfCompared);
    }
    J.attribute("has_events", HasEvents);
    J.attributeArray("left_out", [] {});
    J.attribute("moments", nullptr);
  });
  return Text;
}

} // namespace memkit
