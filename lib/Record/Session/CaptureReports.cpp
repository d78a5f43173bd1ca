// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages about what memrec records of the program's libraries.

#include "Session/CaptureReports.h"
#include "Session/FindingSentence.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

/// Who a message is about: `process 12 (train.py): `.
static std::string subjectOf(const ChildProcess &P) {
  return "process " + std::to_string(P.Pid) +
         (P.Role.empty() ? "" : " (" + P.Role + ")") + ": ";
}

void CaptureReports::report(ChildProcess &P) {
  for (uint32_t Source = 0; Source != wire::NumFindingSources; ++Source)
    reportFinding(P, Source);
  notePython(P);
  noteAllocator(P);
}

void CaptureReports::addAlert(const ChildProcess &P, StringRef What) {
  Mark M;
  M.Kind = MarkKind::Alert;
  M.Process = P.Process;
  M.TimeNs = R.lastNs();
  M.Name = R.names().Names.string(What);
  R.addMark(std::move(M));
}

/// What the user wants recorded of the source; empty: nothing, or the source
/// has no parts.
std::string CaptureReports::wantedParts(const wire::Control &C,
                                        uint32_t Source) const {
  if (Source == wire::FS_TensorFlow) {
    bool HasOperators =
        !(C.Findings[Source].Code.load() & wire::TF_NoOperators);
    return O.Torch == wire::TB_None ? ""
           : HasOperators && O.Torch != wire::TB_Heaps
               ? "tensors, operators and layers"
               : "tensors";
  }
  bool Frames = O.Stacks & wire::SB_Python;
  bool Objects = R.wanted().wants(HostHeapKind::PythonObject);
  if (!Frames && !Objects)
    return "";
  if (C.Findings[wire::FS_PythonObjects].Code.load(std::memory_order_acquire) ==
      uint32_t(wire::ObjectState::NoSymbols))
    Objects = false;
  return !Objects ? "frames" : Frames ? "frames and objects" : "objects";
}

/// Whether a finding with this text was not said before, by the source's rule.
bool CaptureReports::isNew(ChildProcess &P, uint32_t Source,
                           const wire::FindingText &T, uint32_t Argument) {
  using wire::FindingRepeat;
  FindingRepeat Repeat = wire::AllFindingTexts[Source].Repeat;
  if (Repeat == FindingRepeat::OfRun) {
    if (SaidRanks[Source] >= T.Rank)
      return false;
    SaidRanks[Source] = T.Rank;
    return true;
  }
  if (P.FindingsSaid & 1u << Source)
    return false;
  P.FindingsSaid |= 1u << Source;
  // At most 17 versions: the program writes these values, and must not fill the
  // screen.
  return Repeat == FindingRepeat::OfProcess ||
         (SaidVersions.size() <= 16 &&
          SaidVersions.insert({Source, T.Code, Argument}).second);
}

void CaptureReports::reportFinding(ChildProcess &P, uint32_t Source) {
  const wire::Control &C = P.State->shared().control();
  const wire::FindingTexts &Texts = wire::AllFindingTexts[Source];
  FindingFacts F = FindingFacts::read(C.Findings[Source]);
  if (!F.Code)
    return;
  bool HasParts = Texts.Repeat == wire::FindingRepeat::OfVersion ||
                  Texts.Repeat == wire::FindingRepeat::OfBit;
  if (HasParts && (F.Parts = wantedParts(C, Source)).empty())
    return;
  if (Texts.Repeat == wire::FindingRepeat::OfBit)
    return reportBits(P, Source, F);
  const wire::FindingText *T = findText(Texts, F.Code, F.Why);
  if (T && isNew(P, Source, *T, F.Argument))
    say(P, *T, findingSentence(*T, Texts, F));
}

/// Says the texts of new bits: notes, and one text of all missing parts.
void CaptureReports::reportBits(ChildProcess &P, uint32_t Source,
                                FindingFacts F) {
  uint32_t New = F.Code & ~std::exchange(SaidBits, SaidBits | F.Code);
  const wire::FindingTexts &Texts = wire::AllFindingTexts[Source];
  std::string Missing;
  for (const wire::FindingText &T : Texts) {
    if (!(T.Code & New))
      continue;
    if (T.Level != wire::FindingLevel::Note) {
      Missing += (Missing.empty() ? "" : ", ") + std::string(T.Text);
      continue;
    }
    if (!F.Name.empty())
      addVersion(P.Process, std::string(Texts.Package) + "=" + F.Name);
    if (!(T.Why & F.Code))
      say(P, T, findingSentence(T, Texts, F));
  }
  if (Missing.empty())
    return;
  F.Parts = Missing;
  const wire::FindingText *T = findText(Texts, wire::AnyCode, 0);
  say(P, *T, findingSentence(*T, Texts, F));
}

void CaptureReports::say(ChildProcess &P, const wire::FindingText &T,
                         const std::string &What) {
  if (T.UsesDevices)
    Uses.begin();
  if (T.Level == wire::FindingLevel::Note)
    return O.Note(subjectOf(P) + What);
  O.Warn(subjectOf(P) + What);
  if (T.Level == wire::FindingLevel::Alert)
    addAlert(P, What);
}

void CaptureReports::addVersion(uint32_t Process, const std::string &Version) {
  Mark M;
  M.Kind = MarkKind::Version;
  M.Process = Process;
  M.TimeNs = R.lastNs();
  M.Name = R.names().Names.string(Version);
  R.addMark(std::move(M));
}

void CaptureReports::notePython(ChildProcess &P) {
  const wire::Control &C = P.State->shared().control();
  uint32_t Python = C.Findings[wire::FS_Python].Argument.load();
  if (Python && !std::exchange(P.PythonNoted, true))
    addVersion(P.Process, "python=" + pythonVersion(Python));
}

/// `jemalloc 5.3.0`; the program writes the version.
static std::string allocatorName(wire::ServingKind Kind,
                                 const wire::AllocatorReport &Of) {
  static constexpr StringLiteral Names[] = {
      "", "glibc", "jemalloc", "tcmalloc", "mimalloc", "another allocator"};
  static_assert(std::size(Names) == wire::NumServingKinds);
  StringRef Version(Of.Version, strnlen(Of.Version, sizeof(Of.Version)));
  Version = Version.take_while([](char C) { return isPrint(C); }).trim();
  return (Names[size_t(Kind)] + (Version.empty() ? "" : " ") + Version).str();
}

/// The answer of the allocator to --malloc-info, once.
void CaptureReports::noteAllocator(ChildProcess &P) {
  const wire::AllocatorReport &Of = P.State->shared().control().Allocator;
  uint32_t Kind = Of.Kind.load(std::memory_order_acquire);
  if (!O.MallocInfo || !Kind || Kind >= wire::NumServingKinds ||
      std::exchange(P.AllocatorNoted, true))
    return;
  Mark M;
  M.Kind = MarkKind::Allocator;
  M.Process = P.Process;
  M.TimeNs = R.lastNs();
  M.Name = R.names().Names.string(allocatorName(wire::ServingKind(Kind), Of));
  M.Values = {Of.All.InUse, Of.All.Free, Of.All.Apart, Of.All.Reserved};
  uint32_t Arenas = std::min(Of.NumArenas, wire::MaxArenaFigures);
  R.addMark(M);
  for (uint32_t I = 0; I != Arenas; ++I) {
    M.Id = I + 1;
    M.Values = {Of.Arenas[I].InUse, Of.Arenas[I].Free};
    R.addMark(M);
  }
  if (wire::ServingKind(Kind) == wire::ServingKind::Unknown)
    O.Warn("--malloc-info: " + subjectOf(P) +
           "the allocator does not say what it holds");
}

void CaptureReports::addVersions(
    const std::vector<SoftwareThread::FoundVersion> &Found) {
  for (const SoftwareThread::FoundVersion &F : Found)
    addVersion(F.Process, F.Text);
}
