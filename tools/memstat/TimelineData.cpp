// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The series of the timeline for programs.

#include "Sections.h"
#include "Support/CsvField.h"
#include "Support/Json.h"

using namespace llvm;

namespace memkit {

void writeTimelineCsv(raw_ostream &OS, const PageInput &F) {
  OS << "series,unit,time_ns,value\n";
  for (const TimelineSeries &S : F.Series) {
    std::string Start;
    raw_string_ostream To(Start);
    printField(To, S.Name);
    To << ',' << timelineUnit(S.Kind) << ',';
    for (const SeriesPoint &P : S.Points)
      OS << Start << P.TimeNs << ',' << P.Value << '\n';
  }
}

static void writeSeries(json::OStream &J, ArrayRef<TimelineSeries> Series) {
  for (const TimelineSeries &S : Series)
    J.object([&] {
      J.attribute("series", jsonText(S.Name));
      J.attribute("unit", timelineUnit(S.Kind));
      J.attributeArray("time_ns", [&] {
        for (const SeriesPoint &P : S.Points)
          J.value(P.TimeNs);
      });
      J.attributeArray("value", [&] {
        for (const SeriesPoint &P : S.Points)
          J.value(P.Value);
      });
    });
}

static void writeCurves(json::OStream &J, const PageInput &F) {
  J.attribute("end_ns", F.T.endNs());
  J.attribute("from_events", F.O.Curves->FromEvents);
  J.attributeArray("heaps", [&] {
    for (const HeapOverview &H : F.O.Heaps) {
      ArrayRef<uint64_t> Values = F.O.Curves->Highest[H.Heap];
      if (Values.empty() || (!H.Heap && H.Space))
        continue;
      J.object([&] {
        J.attribute("heap", jsonText(heapOrSpace(F, H)));
        J.attributeArray("highest_bytes", [&] {
          for (uint64_t Value : Values)
            J.value(Value);
        });
      });
    }
  });
  J.attributeArray("series", [&] { writeSeries(J, F.Series); });
}

void writeTimelineJson(json::OStream &J, const PageInput &F) {
  if (F.O.Curves)
    J.attributeObject("timeline", [&] { writeCurves(J, F); });
  else
    J.attribute("timeline", nullptr);
}

} // namespace memkit
