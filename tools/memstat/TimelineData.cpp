// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The series of the timeline for programs.

#include "Sections.h"
#include "Support/CsvField.h"
#include "Support/Json.h"

using namespace llvm;

namespace memkit {

void writeTimelineCsv(raw_ostream &OS, ArrayRef<TimelineSeries> Series) {
  OS << "series,unit,time_ns,value\n";
  for (const TimelineSeries &S : Series) {
    std::string Start;
    raw_string_ostream To(Start);
    printField(To, S.Name);
    To << ',' << timelineUnit(S.Kind) << ',';
    for (const SeriesPoint &P : S.Points)
      OS << Start << P.TimeNs << ',' << P.Value << '\n';
  }
}

void writeTimelineSeries(json::OStream &J, ArrayRef<TimelineSeries> Series) {
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

} // namespace memkit
