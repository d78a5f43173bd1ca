// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices, failures, and the names that hold blocks.

#include "AskHolders.h"
#include "Cli/ToolMain.h"
#include "HolderPrinter.h"
#include "Input.h"
#include "Jobs.h"
#include "Live/Client.h"
#include "MapPrinter.h"
#include "OomPrinter.h"
#include "Options.h"
#include "Trace/OpenFile.h"
#include "memkit/Analysis/Query.h"

using namespace llvm;
using namespace memkit;

Error memkit::printFailures(OutputFile &Out) {
  if (OutputFormat != DumpFormat::Text && OutputFormat != DumpFormat::Json)
    return makeUsageError("--oom supports only --format=text and json");
  auto T = openTrace(TP_Totals | TP_Stacks | TP_Replay);
  if (!T)
    return T.takeError();
  (*T)->foldFrames();
  Expected<Selection> All = Selection::create(**T, SelectionSpec());
  if (!All)
    return All.takeError();
  Expected<SelectedStats> S = SelectedStats::create(**T, std::move(*All));
  if (!S)
    return S.takeError();
  Places Where(*S);
  std::vector<OomMoment> Moments;
  for (OomReport &R : queryOoms(**T))
    if (Error E = queryOomMoment(*S, Where, std::move(R))
                      .moveInto(Moments.emplace_back()))
      return E;
  if (OutputFormat == DumpFormat::Text)
    printOoms(Out.os(), **T, Where, Moments);
  else
    writeOomJson(Out.os(), **T, Where, Moments);
  warnUnknown((*T)->reader());
  return Error::success();
}

Error memkit::printHeldBlocks(OutputFile &Out) {
  if (OutputFormat != DumpFormat::Text && OutputFormat != DumpFormat::Json)
    return makeUsageError("--holders supports only --format=text and json");
  if (isLive(Input))
    if (Error E = askHolders(Input))
      return E;
  auto T = openTrace(TP_Totals | TP_Stacks);
  if (!T)
    return T.takeError();
  if (Error E = (*T)->requireReader("--holders needs"))
    return E;
  Expected<HeldBlocks> Held = findHeldBlocks(**T);
  if (!Held)
    return Held.takeError();
  if (OutputFormat == DumpFormat::Text)
    printHolders(Out.os(), **T, *Held);
  else
    writeHoldersJson(Out.os(), **T, *Held);
  warnUnknown((*T)->reader());
  return Error::success();
}

Error memkit::printMap(OutputFile &Out, const SelectionSpec &Spec) {
  if (OutputFormat != DumpFormat::Text && OutputFormat != DumpFormat::Json)
    return makeUsageError("--map supports only --format=text and json");
  auto T = openTrace(TP_Totals | TP_Stacks | TP_Replay);
  if (!T)
    return T.takeError();
  Expected<std::vector<DeviceMap>> Maps = queryMap(**T, Spec);
  if (!Maps)
    return Maps.takeError();
  (*T)->applyRules(Spec.Names, !Spec.AllFrames);
  if (OutputFormat == DumpFormat::Text)
    printMaps(Out.os(), **T, *Maps, [&] { return Out.failed(); });
  else
    writeMapJson(Out.os(), **T, *Maps, [&] { return Out.failed(); });
  warnUnknown((*T)->reader());
  return Error::success();
}
