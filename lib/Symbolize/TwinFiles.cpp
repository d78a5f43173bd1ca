// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that the user names for binaries of a trace.

#include "TwinFiles.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace memkit;

namespace {

/// Chooses the binaries for one named file.
class TwinChoice {
public:
  TwinChoice(const TraceFrames &Trace, const NamedFile &Named,
             SymbolFinder &Finder, uint64_t PageSize)
      : Trace(Trace), Named(Named), Finder(Finder), PageSize(PageSize) {}

  Error choose(std::map<uint32_t, TwinFile> &Out);

private:
  Expected<std::vector<uint32_t>> candidates() const;
  Error fail(const Twine &What) const {
    std::string Value =
        Named.Name.empty() ? Named.File : Named.Name + "=" + Named.File;
    return make_error<RequestError>(RequestError::RequestErrorKind::NoAnswer,
                                    RequestPart{RequestField::Binaries, Value},
                                    ": " + What);
  }
  /// Why the file is not the binary Id; empty: it is. Sets Note.
  std::string objection(uint32_t Id);
  std::string objectionToSize(uint32_t Id) const;
  std::string recordedFile(uint32_t Id) const;
  std::string idTexts(const Binary &B) const;

  const TraceFrames &Trace;
  const NamedFile &Named;
  SymbolFinder &Finder;
  uint64_t PageSize;
  ElfOutline Outline;
  std::string Note;
};

} // namespace

Expected<std::vector<uint32_t>> TwinChoice::candidates() const {
  std::vector<uint32_t> Found;
  for (uint32_t Id = 1; Id <= Trace.binaries().size(); ++Id) {
    StringRef Path = Trace.path(Id);
    if (Named.Name.empty()
            ? Trace.isProgram(Id)
            : Path == Named.Name || sys::path::filename(Path) == Named.Name)
      Found.push_back(Id);
  }
  if (Found.empty())
    return fail(Named.Name.empty()
                    ? "the trace has no frame of a program's main binary"
                    : "the trace has no binary " + Named.Name);
  std::vector<uint32_t> Best;
  auto Keep = [&](function_ref<bool(uint32_t)> IsBest) {
    if (Best.empty())
      copy_if(Found, std::back_inserter(Best), IsBest);
  };
  Keep([&](uint32_t Id) {
    return !Outline.BuildId.empty() &&
           Trace.binaries()[Id - 1].BuildId == Outline.BuildId;
  });
  Keep([&](uint32_t Id) {
    return Named.Name.empty() && sys::path::filename(Trace.path(Id)) ==
                                     sys::path::filename(Named.File);
  });
  if (!Best.empty())
    return Best;
  if (Named.Name.empty() && Found.size() > 1) {
    std::string Names;
    for (uint32_t Id : ArrayRef(Found).take_front(8))
      Names += (Names.empty() ? "" : ", ") + Trace.path(Id).str();
    return fail("the trace has " + Twine(Found.size()) + " programs (" + Names +
                "): name the one that the file is for");
  }
  return Found;
}

/// `build-id 1f2e (in the trace: no build-id)`
std::string TwinChoice::idTexts(const Binary &B) const {
  auto Text = [](ArrayRef<uint8_t> Id) {
    return Id.empty() ? "no build-id" : "build-id " + hexOf(Id);
  };
  return Text(Outline.BuildId) + " (in the trace: " + Text(B.BuildId) + ")";
}

/// The file that was recorded: with the build-id of the trace, or without a
/// build-id, like the binary in the trace, at the recorded path.
std::string TwinChoice::recordedFile(uint32_t Id) const {
  const Binary &B = Trace.binaries()[Id - 1];
  if (!B.BuildId.empty())
    return Finder.find(Trace.path(Id), B.BuildId).First;
  for (const std::string &Place : Finder.placesOf(Trace.path(Id))) {
    Expected<ElfOutline> Recorded = readElfOutline(Place);
    if (!Recorded)
      consumeError(Recorded.takeError());
    else if (Recorded->BuildId.empty() &&
             !sys::fs::equivalent(Place, Named.File))
      return Place;
  }
  return "";
}

/// Compares the size in memory with the mappings of the trace, and the code
/// with its addresses.
std::string TwinChoice::objectionToSize(uint32_t Id) const {
  uint64_t Begin = UINT64_MAX, End = 0;
  for (const ElfSegment &S : Outline.Segments)
    if (S.Type == ELF::PT_LOAD && S.MemorySize <= UINT64_MAX - S.Address) {
      Begin = std::min(Begin, alignDown(S.Address, PageSize));
      End = std::max(End, S.Address + S.MemorySize);
    }
  if (Begin >= End)
    return "the file has no segments to compare";
  uint64_t Size = End - Begin;
  const Load *Mapped =
      find_if(Trace.loads(), [&](const Load &L) { return L.Binary == Id; });
  if (Mapped == Trace.loads().end())
    return "the trace has no mapping of the binary to compare";
  // A loader may round the end up.
  if (Mapped->Size != Size &&
      Mapped->Size != alignTo(Begin + Size, PageSize) - Begin)
    return "the file takes " + std::to_string(Size) +
           " bytes in memory, the recorded binary took " +
           std::to_string(Mapped->Size);
  for (const Frame &F : Trace.frames())
    if (Trace.binaryOf(F) == Id &&
        none_of(Outline.Segments, [&](const ElfSegment &S) {
          return S.Type == ELF::PT_LOAD && (S.Flags & ELF::PF_X) &&
                 F.Address >= S.Address && F.Address - S.Address < S.MemorySize;
        }))
      return "the recorded address 0x" + utohexstr(F.Address, true) +
             " is not in the file's code";
  return "";
}

std::string TwinChoice::objection(uint32_t Id) {
  const Binary &B = Trace.binaries()[Id - 1];
  Note.clear();
  if (!B.BuildId.empty() && B.BuildId == Outline.BuildId)
    return "";
  std::string Recorded = recordedFile(Id);
  if (!Recorded.empty()) {
    Expected<ElfOutline> Other = readElfOutline(Recorded);
    if (!Other)
      return Recorded + ": " + toString(Other.takeError());
    std::string Difference =
        differenceOf(Outline, Named.File, *Other, Recorded);
    if (!Difference.empty())
      return "it has " + idTexts(B) + ", and " + Difference;
    Note = Named.File + " has " + idTexts(B) +
           "; sections and code agree with " + Recorded;
    return "";
  }
  if (!B.BuildId.empty() && !Outline.BuildId.empty())
    return "it has " + idTexts(B) +
           ", and the recorded file is not here to compare";
  std::string Other = objectionToSize(Id);
  if (!Other.empty())
    return "it has " + idTexts(B) + ", and " + Other;
  Note = Named.File + " has " + idTexts(B) +
         "; its size in memory agrees with the trace";
  return "";
}

Error TwinChoice::choose(std::map<uint32_t, TwinFile> &Out) {
  Expected<ElfOutline> Read = readElfOutline(Named.File);
  if (!Read)
    return fail(toString(Read.takeError()));
  Outline = std::move(*Read);
  auto Ids = candidates();
  if (!Ids)
    return Ids.takeError();
  std::string First;
  bool HasAny = false;
  for (uint32_t Id : *Ids) {
    std::string Objection = objection(Id);
    if (Objection.empty())
      Out[Id] = {Named.File, Note};
    else if (First.empty())
      First = "not the file of " + Trace.path(Id).str() + ": " + Objection;
    HasAny |= Objection.empty();
  }
  return HasAny ? Error::success() : fail(First);
}

Expected<std::map<uint32_t, TwinFile>>
memkit::chooseTwins(const TraceFrames &Trace, ArrayRef<NamedFile> Named,
                    SymbolFinder &Finder, uint64_t PageSize) {
  if (!isPowerOf2_64(PageSize))
    PageSize = 4096;
  std::map<uint32_t, TwinFile> Twins;
  for (const NamedFile &N : Named)
    if (Error E = TwinChoice(Trace, N, Finder, PageSize).choose(Twins))
      return std::move(E);
  return Twins;
}
