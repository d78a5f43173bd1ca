// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace of a program that is being recorded, as of now.

#include "LiveTrace.h"
#include "Live/Client.h"
#include "MomentMerge.h"
#include "Support/Failure.h"
#include "Trace/IndexLog.h"
#include "Trace/OpenFile.h"
#include "memkit/Trace/MomentRow.h"
#include "memkit/Trace/Sink.h"
#include "memkit/Trace/TraceReader.h"
#include "memkit/Trace/TraceWriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

//===----------------------------------------------------------------------===//
// The summary
//===----------------------------------------------------------------------===//

/// The error for memory that a recorder of memkit does not hand out.
static Error refuse(StringRef Name, StringRef What, const Twine &Why) {
  return makeError(Name + ": the recorder's answer is refused: the " + What +
                   " " + Why);
}

/// The size of finished memory, in bytes: sealed, so that nobody changes it,
/// and without holes, so that it costs the recorder what it costs the reader.
static Expected<uint64_t> sizeOf(int Fd, StringRef What, StringRef Name) {
  constexpr int Seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  constexpr uint64_t BlockBytes = 512;
  struct stat S;
  if (fstat(Fd, &S) != 0)
    return failErrno(Name);
  int Has = fcntl(Fd, F_GET_SEALS);
  if (!S_ISREG(S.st_mode) || Has < 0 || (Has & Seals) != Seals)
    return refuse(Name, What, "are not in sealed memory");
  auto Size = uint64_t(S.st_size);
  if (Size / BlockBytes > uint64_t(S.st_blocks))
    return refuse(Name, What, "are memory with holes");
  return Size;
}

/// Reads Bytes of a finished file, from From on.
static Error readPart(int Fd, uint64_t From, void *To, size_t Bytes,
                      StringRef Name) {
  for (size_t At = 0; At != Bytes;) {
    ssize_t N =
        pread(Fd, static_cast<char *>(To) + At, Bytes - At, off_t(From + At));
    if (N <= 0)
      return makeError(Name + ": the recorder's answer cannot be read");
    At += size_t(N);
  }
  return Error::success();
}

/// The bytes of finished memory.
static Expected<std::string> readAll(int Fd, uint64_t Size, StringRef Name) {
  std::string Out(Size, '\0');
  if (Error E = readPart(Fd, 0, Out.data(), Out.size(), Name))
    return std::move(E);
  return Out;
}

static Error checkSize(uint64_t Size, uint64_t Max, StringRef What,
                       StringRef Name) {
  if (Size <= Max)
    return Error::success();
  return refuse(Name, What,
                "have " + Twine(Size) + " bytes, and may have " + Twine(Max));
}

static Expected<std::string> readTotals(int Fd, StringRef Name) {
  Expected<uint64_t> Size = sizeOf(Fd, "totals", Name);
  if (!Size)
    return Size.takeError();
  if (Error E = checkSize(*Size, LiveFollower::MaxTotalBytes, "totals", Name))
    return std::move(E);
  return readAll(Fd, *Size, Name);
}

/// The list of sections; empty if it is too large to be of use.
static Expected<std::string> readIndex(int Fd, StringRef Name) {
  Expected<uint64_t> Size = sizeOf(Fd, "sections", Name);
  if (!Size)
    return Size.takeError();
  if (*Size > LiveFollower::MaxIndexBytes)
    return std::string();
  return readAll(Fd, *Size, Name);
}

/// Writes the rows as parts of the summary of Blank.
static Error writeRows(TraceWriter &W, const Summary &Blank,
                       ArrayRef<MomentRow> Rows) {
  constexpr size_t PartRows = MaxSectionRows / 4;
  for (; !Rows.empty();
       Rows = Rows.drop_front(std::min(PartRows, Rows.size()))) {
    Summary Part = Blank;
    for (const MomentRow &R : Rows.take_front(PartRows)) {
      std::vector<StackStatsRows> &To =
          R.IsScopePath ? Part.ScopePaths : Part.Stacks;
      if (To.empty() || To.back().Process != R.Process)
        To.push_back({R.Process, {}});
      To.back().Rows.push_back(R.Stats);
    }
    if (Error E = W.write(Part))
      return E;
  }
  return Error::success();
}

/// What the recorder hands out, besides the file.
struct LiveParts {
  std::string Totals, Index;
  uint64_t Bytes = 0; ///< of the file
};

/// The sections of the file; nothing if the recorder does not tell, or not all.
static std::optional<std::vector<SectionInfo>> sectionsOf(const LiveParts &P) {
  std::optional<std::vector<SectionInfo>> Known = IndexLog::load(P.Index);
  if (!Known || Known->empty() ||
      Known->back().Offset + Known->back().Compressed != P.Bytes)
    return std::nullopt;
  return Known;
}

/// Writes the sections of a kind from the totals.
static Error appendSections(TraceWriter &W, const TraceReader &Totals,
                            SectionKind Kind, StringRef Bytes) {
  for (const SectionInfo &B : Totals.sections())
    if (B.Kind == Kind)
      if (Error E = W.append(B, Bytes.substr(B.Offset, B.Compressed)))
        return E;
  return Error::success();
}

/// What stands behind the file: the summary, and the index of all if the
/// sections of the file are known.
static Expected<std::string>
encodeRest(const LiveParts &P, ArrayRef<MomentRow> Rows, StringRef Name) {
  auto Totals =
      TraceReader::create(MemoryBuffer::getMemBuffer(P.Totals, Name, false));
  if (!Totals)
    return Totals.takeError();
  ArrayRef<SectionInfo> Sections = (*Totals)->sections();
  if (Sections.back().Kind != SectionKind::Summary)
    return makeError(Name + ": the recorder's answer has no totals");
  Summary Last;
  if (Error E = (*Totals)->read(Sections.back(), Last))
    return std::move(E);
  Summary Blank;
  Blank.Number = Last.Number;
  Blank.EndNs = Last.EndNs;
  Blank.Events = Last.Events;
  Blank.Marks = Last.Marks;
  Blank.Complete = false;
  std::optional<std::vector<SectionInfo>> Known = sectionsOf(P);
  std::string Out;
  StringSink Sink(Out);
  std::unique_ptr<TraceWriter> W =
      TraceWriter::resume(Sink, Known.value_or(std::vector<SectionInfo>()));
  if (Error E = appendSections(*W, **Totals, SectionKind::Lifetimes, P.Totals))
    return std::move(E);
  if (Error E = writeRows(*W, Blank, Rows))
    return std::move(E);
  if (Error E = appendSections(*W, **Totals, SectionKind::Summary, P.Totals))
    return std::move(E);
  if (Known)
    if (Error E = W->finish())
      return std::move(E);
  return Out;
}

/// Reads the cells and rows straight from their memory: with many stacks, each
/// copy would take longer than the work on the rows.
static Expected<MomentParts> readMoment(int Fd, uint64_t NumCells,
                                        StringRef Name) {
  Expected<uint64_t> Size = sizeOf(Fd, "rows", Name);
  if (!Size)
    return Size.takeError();
  if (Error E = checkSize(*Size, LiveFollower::MaxRowBytes, "rows", Name))
    return std::move(E);
  if (NumCells > *Size / sizeof(MomentCell))
    return makeError(Name + ": an answer that is not memrec's");
  MomentParts Out;
  Out.Cells.resize(NumCells);
  size_t CellBytes = NumCells * sizeof(MomentCell);
  Out.Rows.resize((*Size - CellBytes) / sizeof(MomentRow));
  if (Error E = readPart(Fd, 0, Out.Cells.data(), CellBytes, Name))
    return std::move(E);
  if (Error E = readPart(Fd, CellBytes, Out.Rows.data(),
                         Out.Rows.size() * sizeof(MomentRow), Name))
    return std::move(E);
  return Out;
}

/// Checks that the file has Bytes bytes.
static Error checkFile(int Fd, uint64_t Bytes, StringRef Name) {
  struct stat S;
  if (fstat(Fd, &S) != 0)
    return failErrno(Name);
  if (!S_ISREG(S.st_mode) || uint64_t(S.st_size) < Bytes)
    return makeError(Name + ": the trace is shorter than its recorder says");
  return Error::success();
}

Expected<std::shared_ptr<const TraceBytes>> LiveFollower::read() {
  Expected<LiveClient> C = LiveClient::connect(Target);
  if (!C)
    return C.takeError();
  std::string Name = C->name();
  Records = replyValue(C->hello(), "recording") != "0";
  Expected<LiveMessage> Reply =
      C->ask(Events ? "trace " + std::to_string(Events) : "trace");
  if (!Reply)
    return Reply.takeError();
  return take(std::move(*Reply), Name);
}

/// Sets the rows to those of the moment. Since: the changes are those after
/// this event; 0: Now has all rows.
Error LiveFollower::update(uint64_t Since, MomentParts Now, StringRef Name) {
  sortRows(Now.Rows);
  if (!Since) {
    Rows = std::move(Now.Rows);
    return Error::success();
  }
  // Rows of a moment are changed rows of the moment before, or new ones.
  if (Error E = checkSize((Rows.size() + Now.Rows.size()) * sizeof(MomentRow),
                          2 * MaxRowBytes, "rows", Name))
    return E;
  mergeMoment(Rows, Since, Now.Cells, std::move(Now.Rows));
  return checkSize(Rows.size() * sizeof(MomentRow), MaxRowBytes, "rows", Name);
}

Expected<std::shared_ptr<const TraceBytes>>
LiveFollower::take(LiveMessage Reply, StringRef Name) {
  LiveParts P;
  uint64_t NewEvents = 0, Since = 0, NumCells = 0;
  auto Number = [&](StringRef Key, uint64_t &To) {
    return to_integer(replyValue(Reply.Text, Key), To, 10);
  };
  bool IsOurs = Reply.Fds.size() == 4 && Number("bytes", P.Bytes) &&
                Number("events", NewEvents) && Number("since", Since) &&
                Number("cells", NumCells) && Since <= Events;
  if (!IsOurs)
    return makeError(Name + ": an answer that is not memrec's");
  if (Error E = checkFile(Reply.Fds[0].get(), P.Bytes, Name))
    return std::move(E);
  if (Error E = readTotals(Reply.Fds[1].get(), Name).moveInto(P.Totals))
    return std::move(E);
  if (Error E = readIndex(Reply.Fds[3].get(), Name).moveInto(P.Index))
    return std::move(E);
  Expected<MomentParts> Now = readMoment(Reply.Fds[2].get(), NumCells, Name);
  if (!Now)
    return Now.takeError();
  if (Error E = update(Since, std::move(*Now), Name))
    return std::move(E);
  Events = NewEvents;
  Expected<std::string> Rest = encodeRest(P, Rows, Name);
  if (!Rest)
    return Rest.takeError();
  return std::make_shared<const TraceBytes>(Reply.Fds[0].release(), P.Bytes,
                                            std::move(*Rest), Name);
}

Expected<std::shared_ptr<const TraceBytes>>
memkit::openLiveTrace(StringRef Target) {
  return LiveFollower(Target).read();
}

void memkit::acceptRecordings() { setLiveOpener(openLiveTrace); }
