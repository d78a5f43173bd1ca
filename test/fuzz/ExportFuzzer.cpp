// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the formats with a timeline.
//
// The input is the text form of a trace, as for ModelFuzzer. The trace is
// written for the Firefox Profiler and for Perfetto, whole and in parts, with
// few blocks, so that blocks are merged. Errors are fine, crashes are not.

#include "Export/Firefox.h"
#include "Export/Perfetto.h"
#include "TraceText/Assembler.h"
#include "memkit/Model/Places.h"

using namespace memkit;
using namespace llvm;

static void writeBoth(const SelectedStats &S, StatsBy By, ShownTree Tree) {
  const Trace &T = S.trace();
  raw_null_ostream OS;
  FrameOwners Owners(T, Places(S), GroupBy::Stack);
  for (size_t MaxBlocks : {0, 3}) {
    FirefoxOptions Options;
    Options.MaxBlocks = MaxBlocks;
    consumeError(writeFirefox(OS, S, By, Tree, Owners, Options).takeError());
  }
  Profile Chart = makeProfile(S, Metric::Peak);
  consumeError(writePerfetto(OS, S, Tree, NodeRanks(Tree), Chart,
                             By == StatsBy::Stacks, /*Full=*/false)
                   .takeError());
}

static void write(StringRef Bytes, const SelectionSpec &Spec, StatsBy By) {
  auto R = TraceReader::create(MemoryBuffer::getMemBuffer(Bytes, "t", false));
  if (!R)
    return consumeError(R.takeError());
  auto T = Trace::create(std::move(*R));
  if (!T)
    return consumeError(T.takeError());
  Expected<Selection> Sel = Selection::create(**T, Spec);
  if (!Sel)
    return consumeError(Sel.takeError());
  Expected<SelectedStats> S = SelectedStats::create(**T, std::move(*Sel), By);
  if (!S)
    return consumeError(S.takeError());
  (*T)->foldFrames();
  if (By == StatsBy::Stacks)
    return writeBoth(*S, By, **T);
  ScopeView View = groupScopes(**T, GroupBy::Layer);
  writeBoth(*S, By, ShownTree(**T, View));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Text(reinterpret_cast<const char *>(Data), Size), Bytes;
  StringSink Out(Bytes);
  AssembleOptions Options;
  Options.Unchecked = true;
  consumeError(
      assemble(MemoryBufferRef(Text, "fuzz"), Out, Options).takeError());
  SelectionSpec All, Large, Window, Moment;
  Large.MinSize = 2;
  Window.Since = cantFail(parseTimePoint("300ns"));
  Window.Until = cantFail(parseTimePoint("700ns"));
  Moment.At = cantFail(parseTimePoint("500ns"));
  for (const SelectionSpec *Spec : {&All, &Large, &Window, &Moment})
    write(Bytes, *Spec, StatsBy::Stacks);
  write(Bytes, All, StatsBy::ScopePaths);
  return 0;
}
