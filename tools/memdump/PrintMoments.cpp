// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices and failures.

#include "Cli/ToolMain.h"
#include "Input.h"
#include "Jobs.h"
#include "MapPrinter.h"
#include "OomPrinter.h"

using namespace llvm;
using namespace memkit;

Error memkit::printFailures(OutputFile &Out) {
  if (OutputFormat != Format::Text && OutputFormat != Format::Json)
    return makeUsageError("what lived without memory is printed as text or "
                          "json");
  auto T = openTrace();
  if (!T)
    return T.takeError();
  (*T)->foldFrames();
  if (OutputFormat == Format::Text)
    printOoms(Out.os(), **T);
  else
    writeOomJson(Out.os(), **T);
  warnUnknown((*T)->reader());
  return Error::success();
}

Error memkit::printMap(OutputFile &Out, SelectionSpec Spec) {
  if (OutputFormat != Format::Text && OutputFormat != Format::Json)
    return makeUsageError("a map is printed as text or json");
  // Of the peak and of a failure each device has its own moment.
  MapMoment When = MapMoment::At;
  if (!Spec.At || Spec.At->K == TimePoint::Kind::Peak)
    When = MapMoment::Peak;
  else if (Spec.At->K == TimePoint::Kind::Oom)
    When = MapMoment::Oom;
  if (When != MapMoment::At)
    Spec.At.reset();
  auto T = openTrace();
  if (!T)
    return T.takeError();
  Expected<Selection> Sel = Selection::create(**T, Spec);
  if (!Sel)
    return Sel.takeError();
  Expected<std::vector<DeviceMap>> Maps = mapDevices(**T, *Sel, When);
  if (!Maps)
    return Maps.takeError();
  if (!Spec.AllFrames)
    (*T)->foldFrames();
  if (OutputFormat == Format::Text)
    printMaps(Out.os(), **T, *Maps, [&] { return Out.failed(); });
  else
    writeMapJson(Out.os(), **T, *Maps, [&] { return Out.failed(); });
  warnUnknown((*T)->reader());
  return Error::success();
}
