// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of a trace.

#include "memkit/Model/Trace.h"
#include "Model/Replay/LastSummary.h"
#include "Support/CommandText.h"
#include "Support/Failure.h"
#include "Support/RunBoth.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <set>

using namespace llvm;

namespace memkit {

Trace::Trace(std::unique_ptr<TraceReader> R, StringRef Name)
    : Reader(std::move(R)), Name(oneLine(Name)) {
  if (Reader)
    Head = harmlessHeader(Reader->header());
}

Trace::~Trace() = default;

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Trace>> Trace::open(StringRef Path, unsigned Parts,
                                             ProgressCallback OnProgress) {
  const uint64_t Large = 1 << 20;
  Expected<std::unique_ptr<TraceReader>> Reader = TraceReader::open(Path);
  if (!Reader)
    return Reader.takeError();
  // A second reader lets the stats be read beside the dictionary.
  std::unique_ptr<TraceReader> Second;
  bool ReadsBoth = (Parts & TP_Stacks) && (Parts & TP_Rows);
  if (ReadsBoth && (*Reader)->fileBytes() >= Large &&
      sys::fs::is_regular_file(Path)) {
    Expected<std::unique_ptr<TraceReader>> Again = TraceReader::open(Path);
    if (Again)
      Second = std::move(*Again);
    else
      consumeError(Again.takeError());
  }
  return make(std::move(*Reader), std::move(Second), Parts,
              std::move(OnProgress));
}

Expected<std::unique_ptr<Trace>>
Trace::create(std::unique_ptr<TraceReader> Reader, unsigned Parts,
              ProgressCallback OnProgress) {
  return make(std::move(Reader), nullptr, Parts, std::move(OnProgress));
}

Expected<std::unique_ptr<Trace>>
Trace::make(std::unique_ptr<TraceReader> Reader,
            std::unique_ptr<TraceReader> Second, unsigned Parts,
            ProgressCallback OnProgress) {
  StringRef Name = Reader->name();
  std::unique_ptr<Trace> T(new Trace(std::move(Reader), Name));
  T->OnProgress = std::move(OnProgress);
  if (!T->Reader->damage().empty())
    T->Warnings.push_back((T->name() + ": " + T->Reader->damage()).str());
  if (Error E = T->readParts(Parts, Second.get()))
    return std::move(E);
  T->tellProcessesApart();
  T->warnOfCuts();
  // A trace that grows lacks its end, and nothing is wrong. What a recorder
  // hands out ends with an index, too.
  if (memkit::isBeingRecorded(T->name())) {
    T->Grows = true;
    T->Warnings.assign(1, (T->name() +
                           ": still being recorded: this is the "
                           "run up to " +
                           formatTime(T->endNs()))
                              .str());
  }
  return T;
}

/// Of a merged trace: names the recordings that were cut off.
void Trace::warnOfCuts() {
  std::set<std::string> Names;
  const ProcessStats *First = nullptr;
  auto NameOf = [&](const ProcessStats &P) {
    const ProcessRecord &I = processes()[P.Process - 1];
    return I.Place.Rank >= 0 ? "rank " + utostr(I.Place.Rank)
                             : "process " + utostr(I.Pid);
  };
  for (const ProcessStats &P : summary().Processes) {
    if (!P.CutNs)
      continue;
    Names.insert(NameOf(P));
    if (!First || P.CutNs < First->CutNs)
      First = &P;
  }
  if (!First)
    return;
  std::string Which =
      Names.size() == 1
          ? "the recording of " + NameOf(*First) + " was cut off"
          : formatCount(Names.size()) + " recordings were cut off, that of " +
                NameOf(*First) + " first,";
  Warnings.push_back(Name + ": " + Which + " at " + formatTime(First->CutNs) +
                     ": the values are those of the part that is there");
}

Error Trace::requireReader(StringRef Needs) const {
  if (Reader)
    return Error::success();
  return makeError(Name + ": " + Needs +
                   " a file, because a stream can be read only once");
}

Error Trace::forEachMark(function_ref<void(const Mark &)> Do) const {
  Marks Section;
  for (const SectionInfo &B : Reader->sections()) {
    if (B.Kind != SectionKind::Marks)
      continue;
    if (Error E = Reader->read(B, Section))
      return E;
    if (std::string Wrong = limits().check(Section); !Wrong.empty())
      return makeTraceError(Name, B.Offset, Wrong);
    for_each(Section.Rows, Do);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Error Trace::read(unsigned Parts) {
  if (!Reader)
    return Error::success();
  unsigned Missing = Parts & ~Has;
  if ((Missing & TP_Replay) && !HasSummary)
    Missing |= TP_Totals;
  return readParts(Missing, nullptr);
}

/// Reads Parts. With Second a second thread reads the summary beside the names.
Error Trace::readParts(unsigned Parts, TraceReader *Second) {
  bool WithStats = Parts & (TP_Totals | TP_Rows), WithRows = Parts & TP_Rows;
  SummaryParts Found;
  Error Failed = Error::success(), StatsFailed = Error::success();
  auto ReadNames = [&] { Failed = readNames(Parts); };
  auto ReadStats = [&](TraceReader &From) {
    StatsFailed = Found.read(From, WithRows, SummaryParts::SummaryPlace::AtEnd);
  };
  if (Second && WithStats) {
    runBoth(ReadNames, [&] { ReadStats(*Second); });
    Reader->joinUnknown(*Second);
  } else {
    ReadNames();
    WithRows |= hasSamples();
    if (!Failed && WithStats)
      ReadStats(*Reader);
  }
  if (Failed) {
    consumeError(std::move(StatsFailed));
    return Failed;
  }
  if (StatsFailed)
    return StatsFailed;
  if (!WithStats) {
    prepareStats();
    return Error::success();
  }
  Expected<LastSummary> S = Found.take(Limits, Name);
  if (!S)
    return S.takeError();
  if (S->IsThere)
    setSummary(std::move(*S));
  else if (Parts & TP_Replay)
    if (Error E = replaySummary(Parts & TP_Intervals))
      return E;
  prepareStats();
  Has |= TP_Totals | (Parts & TP_Replay) | (WithRows ? unsigned(TP_Rows) : 0);
  return has(TP_Names) ? Error::success() : readWantedStrings();
}

bool Trace::hasSamples() const {
  return any_of(heaps(), [](const Heap &H) { return H.estimateBytes() != 0; });
}

/// Reads missing names; at least the outline.
Error Trace::readNames(unsigned Parts) {
  bool WithStacks = (Parts & TP_Stacks) && !has(TP_Stacks);
  bool WithNames = (Parts & TP_Names) && !has(TP_Names);
  if (!WithStacks && !WithNames && HasOutline)
    return Error::success();
  clearNames();
  clearStacks();
  Has &= ~(TP_Names | TP_Stacks);
  if (Error E = WithStacks ? readStacks(!(Parts & TP_Unshown))
                           : readOutline(WithNames))
    return E;
  HasOutline = true;
  if (WithStacks)
    Has |= TP_Names | TP_Stacks;
  else if (WithNames)
    Has |= TP_Names;
  return Error::success();
}

/// Reads the whole dictionary. Shown: also what shown() gives.
Error Trace::readStacks(bool Shown) {
  uint64_t Bytes = 0;
  for (const SectionInfo &B : Reader->sections())
    if (B.Kind == SectionKind::Dictionary)
      Bytes += B.Raw;
  reserveNodes(Bytes);
  Dictionary D;
  for (const SectionInfo &B : Reader->sections()) {
    if (B.Kind != SectionKind::Dictionary)
      continue;
    if (Error E = Reader->read(B, D))
      return E;
    if (std::string Wrong = Limits.add(D); !Wrong.empty())
      return makeTraceError(Name, B.Offset, Wrong);
    takeNames(D);
    takeStacks(D, /*WithParents=*/false);
  }
  // The reader has kept the parents of nodes.
  setParents(Reader->takeParents());
  if (Shown)
    showFrames(1);
  return Error::success();
}

/// Reads the dictionary without stacks, or heaps, processes and devices alone.
Error Trace::readOutline(bool WithNames) {
  DictionaryOutline D;
  for (const SectionInfo &B : Reader->sections()) {
    if (B.Kind != SectionKind::Dictionary)
      continue;
    if (Error E = WithNames ? Reader->readNames(B, D)
                            : Reader->readOutline(B, D, /*WithStrings=*/false))
      return E;
    std::string Wrong = WithNames ? takeNamesAlone(D) : takeOutline(D);
    if (!Wrong.empty())
      return makeTraceError(Name, B.Offset, Wrong);
  }
  return Error::success();
}

/// Reads the strings of the outline and the stats, from no other sections.
Error Trace::readWantedStrings() {
  std::set<uint32_t> Wanted;
  for (const Heap &H : heaps())
    Wanted.insert(H.Name);
  for (const ProcessRecord &I : processes()) {
    Wanted.insert({I.Exe, I.Role, I.WhyNot, I.Place.Job, I.Place.Host});
    Wanted.insert(I.Command.begin(), I.Command.end());
  }
  for (const LayerStats &L : Totals.Layers)
    Wanted.insert({L.Name, L.Shapes});
  for (const ParameterStats &P : Totals.Parameters)
    Wanted.insert({P.Layer, P.Dtype});
  for (const CategoryStats &K : Totals.Categories)
    Wanted.insert(K.Layer);
  for (const DeviceTimeStats &D : Totals.DeviceTimes)
    Wanted.insert(D.Name);
  Wanted.erase(0);
  DictionaryOutline D;
  uint32_t First = 1;
  auto Next = Wanted.begin();
  for (const SectionInfo &B : Reader->sections()) {
    if (Next == Wanted.end())
      break;
    if (B.Kind != SectionKind::Dictionary)
      continue;
    if (Error E = Reader->readOutline(B, D, /*WithStrings=*/true))
      return E;
    for (; Next != Wanted.end() && *Next - First < D.Few.Strings.size(); ++Next)
      takeString(*Next, std::move(D.Few.Strings[*Next - First]));
    First += D.Counts.Strings;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Growing
//===----------------------------------------------------------------------===//

std::unique_ptr<Trace> Trace::createGrowing(StringRef Name) {
  std::unique_ptr<Trace> T(new Trace(nullptr, Name));
  T->setGrowing();
  T->Gathered = std::make_unique<SummaryParts>();
  T->Has = TP_Totals | TP_Rows | TP_Names | TP_Stacks;
  T->prepareStats();
  return T;
}

Error Trace::add(const SectionInfo &Info, const AnySection &Section) {
  if (const auto *D = std::get_if<Dictionary>(&Section))
    return add(Info, *D);
  if (const auto *S = std::get_if<Summary>(&Section))
    return add(Info, *S);
  if (const auto *P = std::get_if<Partial>(&Section))
    return add(Info, *P);
  if (const auto *H = std::get_if<Header>(&Section))
    Head = harmlessHeader(*H);
  HasIndex |= std::holds_alternative<Index>(Section);
  // A summary does not count later events.
  if (std::holds_alternative<Events>(Section) && HasSummary) {
    setSummary(LastSummary());
    setPartialStats();
  }
  return Error::success();
}

Error Trace::add(const SectionInfo &Info, Dictionary D) {
  IdLimits New = Limits;
  if (std::string Wrong = New.add(D); !Wrong.empty())
    return makeTraceError(Name, Info.Offset, Wrong);
  Limits = New;
  uint32_t First = numFrames() + 1;
  takeNames(D);
  takeStacks(D, /*WithParents=*/true);
  showFrames(First);
  showAgain(D.Symbols, First);
  prepareStats();
  return Error::success();
}

Error Trace::add(const SectionInfo &Info, Summary Part) {
  if (std::string Wrong = Limits.check(Part); !Wrong.empty())
    return makeTraceError(Name, Info.Offset, Wrong);
  if (!Gathered->add(std::move(Part), Info))
    return Error::success();
  Expected<LastSummary> S = Gathered->take(Limits, Name);
  if (!S)
    return S.takeError();
  setSummary(std::move(*S));
  PartialNs.reset();
  prepareStats();
  return Error::success();
}

Error Trace::add(const SectionInfo &Info, Partial P) {
  if (std::string Wrong = Limits.check(P); !Wrong.empty())
    return makeTraceError(Name, Info.Offset, Wrong);
  Partials.add(std::move(P));
  if (!HasSummary)
    setPartialStats();
  return Error::success();
}

/// Without a summary: the stats are those of the Partial sections so far.
void Trace::setPartialStats() {
  if (Partials.any()) {
    Totals = Summary();
    Partials.addTo(Totals);
    Totals.EndNs = Partials.endNs();
    PartialNs = Partials.endNs();
  }
  prepareStats();
}

} // namespace memkit
