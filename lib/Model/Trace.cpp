// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a trace says, ready to be asked.

#include "memkit/Model/Trace.h"
#include "ReplayProgress.h"
#include "SummarySet.h"
#include "Support/CommandText.h"
#include "Support/RunBoth.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/StringSaver.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

/// Texts that are not in the trace but made for showing it.
class Trace::Arena {
public:
  StringRef save(const Twine &Text) { return Saver.save(Text); }

private:
  BumpPtrAllocator Memory;
  StringSaver Saver{Memory};
};

StringRef baseName(StringRef Path) {
  return Path.substr(Path.rfind('/') + 1); // npos + 1 is 0
}

template <typename T>
static void append(std::vector<T> &To, std::vector<T> &From) {
  To.insert(To.end(), std::make_move_iterator(From.begin()),
            std::make_move_iterator(From.end()));
}

Trace::Trace(std::unique_ptr<TraceReader> R)
    : Reader(std::move(R)), MadeNames(std::make_unique<Arena>()) {}

Trace::~Trace() = default;

Expected<std::unique_ptr<Trace>> Trace::open(StringRef Path,
                                             ProgressCallback OnProgress) {
  const uint64_t Large = 1 << 20;
  Expected<std::unique_ptr<TraceReader>> Reader = TraceReader::open(Path);
  if (!Reader)
    return Reader.takeError();
  // A second reader lets the sums be read beside the dictionary.
  std::unique_ptr<TraceReader> Second;
  if ((*Reader)->fileBytes() >= Large && sys::fs::is_regular_file(Path)) {
    Expected<std::unique_ptr<TraceReader>> Again = TraceReader::open(Path);
    if (Again)
      Second = std::move(*Again);
    else
      consumeError(Again.takeError());
  }
  return make(std::move(*Reader), std::move(Second), std::move(OnProgress));
}

Expected<std::unique_ptr<Trace>>
Trace::create(std::unique_ptr<TraceReader> Reader) {
  return make(std::move(Reader), nullptr, {});
}

Expected<std::unique_ptr<Trace>>
Trace::make(std::unique_ptr<TraceReader> Reader,
            std::unique_ptr<TraceReader> Second, ProgressCallback OnProgress) {
  std::unique_ptr<Trace> T(new Trace(std::move(Reader)));
  T->OnProgress = std::move(OnProgress);
  if (!T->Reader->damage().empty())
    T->Warnings.push_back((T->name() + ": " + T->Reader->damage()).str());
  SummarySet Set;
  Error Failed = Error::success(), SumsFailed = Error::success();
  auto ReadWords = [&] {
    Failed = T->readDictionary();
    if (!Failed)
      T->showFrames();
  };
  if (Second) {
    runBoth(ReadWords, [&] { SumsFailed = Set.read(*Second); });
    T->Reader->joinUnknown(*Second);
  } else {
    ReadWords();
    SumsFailed = Set.read(*T->Reader);
  }
  if (Failed || SumsFailed) {
    if (!Failed)
      return SumsFailed;
    consumeError(std::move(SumsFailed));
    return Failed;
  }
  if (Error E = Set.check(T->Limits, T->name()))
    return E;
  T->Parts = std::move(Set.Parts);
  for (Summary &S : T->Parts)
    T->packScopes(S);
  for (std::vector<PackedRows> &Rows : Set.Rows)
    append(T->StackRows, Rows);
  if (T->Parts.empty())
    if (Error E = T->replaySummary())
      return E;
  T->prepareSums();
  return T;
}

//===----------------------------------------------------------------------===//
// Dictionary
//===----------------------------------------------------------------------===//

/// Most of a dictionary's bytes are nodes, of which each has three or more; too
/// much room costs nothing until it is used.
void Trace::reserveNodes() {
  const uint64_t Max = 16 << 20;
  uint64_t Bytes = 0;
  for (const SectionInfo &B : Reader->sections())
    if (B.Kind == SectionKind::Dictionary)
      Bytes += B.Raw;
  Tree.Frames.reserve(std::min(Bytes / 3, Max));
}

Error Trace::readDictionary() {
  reserveNodes();
  Dictionary D;
  for (const SectionInfo &B : Reader->sections()) {
    if (B.Kind != SectionKind::Dictionary)
      continue;
    if (Error E = Reader->read(B, D))
      return E;
    std::string Wrong = Limits.add(D);
    if (!Wrong.empty())
      return makeTraceError(name(), B.Offset, Wrong);
    take(D);
  }
  Tree.Parents = Reader->takeParents();
  return Error::success();
}

/// Adds a dictionary section whose ids were checked.
void Trace::take(Dictionary &D) {
  StringSections.push_back(std::move(D.Strings));
  for (const std::string &S : StringSections.back())
    Strings.push_back(S);
  D.Strings.clear();
  append(Heaps, D.Heaps);
  append(Processes, D.Processes);
  append(Threads, D.Threads);
  append(Devices, D.Devices);
  append(Binaries, D.Binaries);
  append(Scopes, D.Scopes);
  append(ScopePaths, D.ScopePaths);
  append(Loads, D.Loads);
  append(Functions, D.Functions);
  append(Frames, D.Frames);

  // The reader keeps the parents of nodes.
  uint32_t Next = Tree.Frames.size();
  Tree.Frames.insert(Tree.Frames.end(), D.NodeFrames.begin(),
                     D.NodeFrames.end());
  for (const NewStack &S : D.Stacks) {
    Next += S.Length;
    Tree.Leaves.push_back(S.Length ? Next - 1 : S.Parent);
  }

  FrameLocations.resize(Frames.size());
  for (const FrameSymbols &S : D.Symbols) {
    FrameLocations[S.Frame - 1] = {static_cast<uint32_t>(Locations.size()),
                                   static_cast<uint32_t>(S.Locations.size())};
    Locations.insert(Locations.end(), S.Locations.begin(), S.Locations.end());
  }
}

ArrayRef<Location> Trace::locations(uint32_t Frame) const {
  Span S = FrameLocations[Frame - 1];
  return ArrayRef(Locations).slice(S.Begin, S.Count);
}

ArrayRef<ShownFrame> Trace::shown(uint32_t Frame) const {
  Span S = FrameShown[Frame - 1];
  return ArrayRef(Shown).slice(S.Begin, S.Count);
}

StringRef Trace::binaryPath(uint32_t FrameId) const {
  const Frame &F = frame(FrameId);
  if (F.Kind != FrameKind::Native || F.Container == 0)
    return StringRef();
  return string(Binaries[F.Container - 1].Path);
}

/// One text for each function, whatever its lines.
void Trace::labelPython(ShownFrame &F) {
  F.IsPython = true;
  PythonLabels.resize(Functions.size() + 1);
  StringRef &Label = PythonLabels[F.FunctionId];
  if (Label.empty() && !F.File.empty())
    Label = MadeNames->save(F.Function + " (" + baseName(F.File) + ")");
  if (!Label.empty())
    F.Label = Label;
}

/// Decides once for every frame what is shown for it.
void Trace::showFrames() {
  FrameShown.resize(Frames.size());
  Shown.reserve(Frames.size() + Locations.size());
  for (uint32_t Id = 1; Id <= Frames.size(); ++Id) {
    const Frame &F = frame(Id);
    uint32_t Begin = Shown.size();
    StringRef Binary = binaryPath(Id);
    auto Show = [&](Location L) {
      const Function &Fn = function(L.Function);
      Shown.push_back({string(Fn.Name), string(Fn.File), Binary, L.Line,
                       L.Function, string(Fn.Name), false});
      if (F.Kind == FrameKind::Python)
        labelPython(Shown.back());
    };
    bool IsFunction = F.Kind == FrameKind::Python || F.Kind == FrameKind::Named;
    if (IsFunction && F.Container)
      Show({F.Container, F.Kind == FrameKind::Python
                             ? static_cast<uint32_t>(F.Address)
                             : 0});
    else
      for (Location L : locations(Id))
        if (L.Function)
          Show(L);
    if (Shown.size() == Begin) {
      StringRef Name = baseName(Binary);
      std::string Address = "0x" + utohexstr(F.Address, /*LowerCase=*/true);
      ShownFrame &New = Shown.emplace_back();
      New.Function = New.Label =
          MadeNames->save(Name.empty() ? Twine(Address) : Name + "+" + Address);
      New.Binary = Binary;
    }
    FrameShown[Id - 1] = {Begin, static_cast<uint32_t>(Shown.size() - Begin)};
  }
}

FrameRole Trace::roleOf(uint32_t Id) const {
  const Frame &F = frame(Id);
  ArrayRef<ShownFrame> S = shown(Id);
  if (F.Kind == FrameKind::Python)
    return pythonFrameRole(S.front().File);
  if (F.Kind != FrameKind::Native)
    return FrameRole::Program;
  SmallVector<StringRef, 4> Functions;
  for (const ShownFrame &Fn : S)
    if (Fn.FunctionId)
      Functions.push_back(Fn.Function);
  return nativeFrameRole(S.front().Binary, Functions);
}

void Trace::foldFrames() {
  // Most programs have no Python.
  if (none_of(Frames,
              [](const Frame &F) { return F.Kind == FrameKind::Python; }))
    return;
  std::vector<FrameRole> Roles(Frames.size() + 1);
  for (uint32_t Id = 1; Id < Roles.size(); ++Id)
    Roles[Id] = roleOf(Id);
  Folded = foldStacks(Tree, Roles);
}

std::vector<ShownFrame> Trace::shownWay(uint32_t Node) const {
  std::vector<ShownFrame> All;
  const StackView &V = view();
  for (; Node; Node = V.parent(Node)) {
    ArrayRef<ShownFrame> S = shown(V.frameOf(Node));
    All.insert(All.end(), S.begin(), S.end());
  }
  return All;
}

std::string Trace::scopePathText(uint32_t Id) const {
  SmallVector<StringRef, 8> Names;
  for (; Id; Id = ScopePaths[Id - 1].Parent)
    if (uint32_t S = ScopePaths[Id - 1].Scope)
      Names.push_back(string(Scopes[S - 1].Name));
  std::reverse(Names.begin(), Names.end());
  return join(Names, "/");
}

StringRef Trace::spaceName(uint32_t Id) const {
  if (Id == 0)
    return "host";
  return Devices[Id - 1].Space;
}

StringRef Trace::program(uint32_t Id) const {
  const ProcessRecord &I = Processes[Id - 1];
  return string(I.Command.empty() ? I.Exe : I.Command.front());
}

StringRef Trace::processName(uint32_t Id) const {
  if (uint32_t Role = Processes[Id - 1].Role)
    return string(Role);
  return programName(program(Id));
}

//===----------------------------------------------------------------------===//
// Summary
//===----------------------------------------------------------------------===//

void Trace::packScopes(Summary &Part) {
  for (const StackStatsRows &Rows : Part.ScopePaths)
    PackedRows::pack(Rows, ScopeRows);
  Part.ScopePaths = {};
}

/// What of the sums is older than the rest.
static std::string partialText(const PartialRows &Partials) {
  if (!Partials.any())
    return "";
  return "; those of layers, scopes, categories and ooms end at " +
         formatTime(Partials.endNs());
}

/// The sums of a trace whose recorder did not get to writing them.
Error Trace::replaySummary() {
  ReplayProgress Bar(OnProgress, *Reader);
  Expected<std::unique_ptr<Replay>> R = Replay::create(*Reader, {}, &Bar);
  if (!R)
    return R.takeError();
  if (Error E = (*R)->run())
    return E;
  Expected<PartialRows> Partials = readPartials(*Reader, Limits);
  if (!Partials)
    return Partials.takeError();
  Parts.clear();
  auto Take = [&](const Summary &Part) {
    for (const StackStatsRows &Rows : Part.Stacks)
      PackedRows::pack(Rows, StackRows);
    Summary &Rest = Parts.emplace_back(Part);
    Rest.Stacks = {};
    packScopes(Rest);
    if (Part.Complete)
      Partials->addTo(Rest);
    return Error::success();
  };
  if (Error E = (*R)->stats().summary(1, (*R)->endNs(), Take))
    return E;
  Replayed = true;
  uint64_t LeftOut = eventsLeftOut();
  Warnings.push_back((name() +
                      ": no summary; the sums are those of its events" +
                      (LeftOut ? ", of which " + Twine(LeftOut) +
                                     " and more were left out on request"
                               : Twine("")) +
                      partialText(*Partials))
                         .str());
  return Error::success();
}

void Trace::prepareSums() {
  HeapStatsOf.resize(Heaps.size());
  for (size_t I = 0; I != HeapStatsOf.size(); ++I)
    HeapStatsOf[I].Id = I + 1;
  for (const Summary &S : Parts) {
    for (const ProcessStats &I : S.Processes)
      if (I.Role)
        Processes[I.Process - 1].Role = I.Role;
    EndNs = std::max(EndNs, S.EndNs);
    for (const HeapStats &H : S.Heaps)
      HeapStatsOf[H.Id - 1] = H;
    for (const TotalStats &D : S.Spaces)
      if (D.Id == 0)
        HostSums = D;
  }
  Replaced.assign(Processes.size() + 1, false);
  for (const ProcessRecord &I : Processes)
    if (I.Origin == ProcessOrigin::Exec)
      Replaced[I.Parent] = true;
}

std::vector<uint64_t> Trace::losses() const {
  std::vector<uint64_t> Counts(NumLossCounts);
  for (const Summary &S : Parts)
    for (const Loss &L : S.Losses)
      Counts[lossIndex(L.Kind)] += L.Count;
  return Counts;
}

uint64_t Trace::eventsLeftOut() const {
  return losses()[static_cast<size_t>(LossKind::Events)];
}

uint64_t Trace::lostEvents() const {
  std::vector<uint64_t> Counts = losses();
  uint64_t Sum = 0;
  for (size_t K = 0; K != Counts.size(); ++K)
    if (K != static_cast<size_t>(LossKind::TableFull) &&
        K != static_cast<size_t>(LossKind::Events))
      Sum += Counts[K];
  return Sum;
}

} // namespace memkit
