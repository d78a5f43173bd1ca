// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the page needs at first: the verdict, and names of all parts.

#include "Support/CommandText.h"
#include "Support/Json.h"
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
  J.attributeArray("spaces", [&] {
    for (const SpaceReport &S : F.R.Spaces)
      J.object([&] {
        J.attribute("id", S.Id);
        J.attribute("name", jsonText(S.Name));
        J.attribute("peak_bytes", S.Stats.PeakBytes);
        J.attribute("peak_ns", S.Stats.PeakTimeNs);
        J.attribute("live_bytes", S.Stats.LiveBytes);
        J.attribute("peak_step", jsonOrNull(stepAt(F.T, S.Stats.PeakTimeNs)));
      });
  });
  J.attributeArray("heaps", [&] {
    for (const HeapReport &H : F.R.Heaps)
      J.object([&] {
        J.attribute("id", H.Id);
        J.attribute("name", jsonText(H.Name));
        J.attribute("space", H.Space);
        J.attribute("in_totals", H.InTotals);
        J.attribute("peak_bytes", H.Stats.PeakBytes);
        J.attribute("live_bytes", H.Stats.LiveBytes);
        J.attribute("allocations", H.Stats.Allocations);
      });
  });
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
  auto Column = [&](StringRef Name, auto Value) {
    J.attributeArray(Name, [&] {
      for (const ProcessReport &P : F.R.Processes)
        J.value(Value(P));
    });
  };
  auto Stats = [](const ProcessReport &P) {
    return P.Stats.value_or(ProcessStats());
  };
  J.attributeObject("processes", [&] {
    Column("id", [](const ProcessReport &P) { return P.Id; });
    Column("pid", [](const ProcessReport &P) { return P.Pid; });
    Column("name", [](const ProcessReport &P) { return jsonText(P.Name); });
    Column("begin_ns", [&](const ProcessReport &P) {
      return F.T.processes()[P.Id - 1].StartNs;
    });
    Column("end_ns", [&](const ProcessReport &P) {
      return P.Stats && P.Stats->Ended ? P.Stats->EndNs : F.R.EndNs;
    });
    Column("peak_bytes",
           [&](const ProcessReport &P) { return Stats(P).PeakBytes; });
    Column("live_bytes",
           [&](const ProcessReport &P) { return Stats(P).LiveBytes; });
    Column("how", [](const ProcessReport &P) { return jsonText(endText(P)); });
  });
}

/// The groupings of curves that the trace has.
std::vector<StringRef> TraceView::curveGroupings() const {
  const Trace &T = trace();
  std::vector<StringRef> Out = {"heap", "line", "library"};
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
