// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random access to a trace.

#include "memkit/Trace/TraceReader.h"
#include "Decode.h"
#include "Frames.h"
#include "OpenFile.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <map>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace memkit;
using namespace llvm;

class TraceReader::Impl {
public:
  explicit Impl(std::shared_ptr<const TraceBytes> F) : File(std::move(F)) {}

  Error open();
  Expected<bool> openByIndex();
  Error scan();
  Expected<FrameScan> frameAt(uint64_t Offset);
  Error scanSection(uint64_t Offset, size_t Size);
  void stopScan(uint64_t Offset, const Twine &Why);
  Error load(const SectionInfo &B, SectionKind &Kind);
  Error openSection(const SectionInfo &B, SectionKind Want);
  template <class T> Error read(const SectionInfo &B, SectionKind Want, T &Out);
  Error readDictionary(const SectionInfo &B, Dictionary &Out, bool Strict);
  Error wrong(uint64_t Offset, const Twine &What) {
    return makeTraceError(File->name(), Offset, What);
  }
  /// Call after B was decoded: keeps the unknown values of B.
  Error decoded(const SectionInfo &B, const std::string &Problem) {
    noteUnknown(B.Offset);
    return Problem.empty() ? Error::success() : wrong(B.Offset, Problem);
  }
  void noteUnknown(uint64_t Offset) {
    if (Decode.unknownValues().any())
      Unknown[Offset].join(Decode.unknownValues());
  }

  std::shared_ptr<const TraceBytes> File;
  std::vector<uint8_t> FileScratch;
  /// Of the scan: the bytes of the file from WindowAt on.
  Bytes Window;
  uint64_t WindowAt = 0;
  std::vector<uint8_t> WindowScratch;
  memkit::Header Head;
  std::vector<SectionInfo> Sections;
  bool Complete = false;
  std::string Damage;

  FrameDecompressor Decompressor;
  Decoder Decode;
  std::vector<uint8_t> Raw;
  std::map<uint64_t, UnknownValues> Unknown; ///< by offset of the section
  uint64_t NumDecoded[NumSectionKinds] = {}; ///< since the file was opened
  /// Offset of the end of the last dictionary in the decoder's tree.
  uint64_t TreeEnd = 0;
};

/// Decompresses and verifies the section B.
Error TraceReader::Impl::load(const SectionInfo &B, SectionKind &Kind) {
  if (B.Offset > File->size() || B.Compressed > File->size() - B.Offset)
    return wrong(B.Offset, "a section extends beyond the end of the file");
  if (B.Compressed > MaxFrameBytes)
    return wrong(B.Offset, "a section of " + Twine(B.Compressed) +
                               " compressed bytes, the most is " +
                               Twine(MaxFrameBytes));
  Expected<Bytes> Frame = File->read(B.Offset, B.Compressed, FileScratch);
  if (!Frame)
    return Frame.takeError();
  std::string Problem = Decompressor.decompress(*Frame, Raw);
  if (Problem.empty())
    Problem = Decode.open(Raw, Kind);
  return Problem.empty() ? Error::success() : wrong(B.Offset, Problem);
}

/// Finds the sections by the index. False when the index is missing or does not
/// fit the file; the scan that follows reports the reason.
Expected<bool> TraceReader::Impl::openByIndex() {
  uint64_t TableOffset;
  auto Table = readSeekTable(*File, TableOffset);
  if (!Table)
    return Table.takeError();
  const std::optional<std::vector<SeekEntry>> &Seek = *Table;
  if (!Seek || Seek->size() < 2)
    return false;
  SectionInfo Last;
  Last.Compressed = Seek->back().Compressed;
  Last.Offset = TableOffset - Last.Compressed;
  SectionKind Kind;
  Index I;
  if (Error E = load(Last, Kind)) {
    consumeError(std::move(E));
    return false;
  }
  if (Kind != SectionKind::Index || !Decode.decode(I).empty() ||
      I.Sections.size() + 1 != Seek->size() ||
      I.Sections.front().Kind != SectionKind::Header)
    return false;
  for (size_t B = 0; B != I.Sections.size(); ++B)
    if (I.Sections[B].Compressed != (*Seek)[B].Compressed ||
        I.Sections[B].Raw != (*Seek)[B].Raw)
      return false;
  Sections = std::move(I.Sections);
  return true;
}

void TraceReader::Impl::stopScan(uint64_t Offset, const Twine &Why) {
  Damage = ("corrupt at offset " + Twine(Offset) + ": " + Why +
            "; the remainder is not read")
               .str();
}

/// Adds the section at Offset; sets Damage to end the scan.
Error TraceReader::Impl::scanSection(uint64_t Offset, size_t Size) {
  SectionInfo Info, Cover;
  Info.Offset = Offset;
  Info.Compressed = Size;
  SectionKind Kind;
  Error E = load(Info, Kind);
  if (!E)
    E = decoded(Info, Decode.cover(Kind, Cover));
  if (E) {
    if (Sections.empty())
      return E;
    handleAllErrors(std::move(E),
                    [&](const TraceError &T) { stopScan(Offset, T.what()); });
    return Error::success();
  }
  if (Kind == SectionKind::Index)
    return Error::success();
  if (Sections.empty() != (Kind == SectionKind::Header))
    return wrong(
        Offset,
        Sections.empty()
            ? Twine("a trace begins with a header, not with ") +
                  sectionKindName(Kind)
            : Twine("a second header (traces cannot be joined with cat)"));
  Cover.Offset = Offset;
  Cover.Compressed = Size;
  Cover.Raw = Raw.size();
  Sections.push_back(Cover);
  return Error::success();
}

/// Why a trace may end before its index.
static std::string cutText(uint64_t Size) {
  return "cut off at offset " + utostr(Size) +
         ": the recorder was killed, or the copy is incomplete";
}

/// The frame at Offset, by its headers.
Expected<FrameScan> TraceReader::Impl::frameAt(uint64_t Offset) {
  constexpr size_t FirstBytes = 64 << 10, WindowBytes = 1 << 20;
  for (size_t Want = FirstBytes;; Want *= 4) {
    uint64_t Rest = File->size() - Offset;
    Want = std::min<uint64_t>({Want, MaxFrameBytes, Rest});
    if (Offset < WindowAt || Offset + Want > WindowAt + Window.size()) {
      size_t Bytes = std::min<uint64_t>(Rest, std::max(Want, WindowBytes));
      auto Read = File->read(Offset, Bytes, WindowScratch);
      if (!Read)
        return Read.takeError();
      Window = *Read;
      WindowAt = Offset;
    }
    FrameScan F = scanFrame(Window.drop_front(Offset - WindowAt));
    if (F.Kind != FrameScan::CutOff || Want == Rest)
      return F;
    if (Want == MaxFrameBytes)
      return FrameScan{FrameScan::NotAFrame};
  }
}

Error TraceReader::Impl::scan() {
  uint64_t Offset = 0;
  while (Offset < File->size() && Damage.empty()) {
    Expected<FrameScan> Found = frameAt(Offset);
    if (!Found)
      return Found.takeError();
    const FrameScan &F = *Found;
    if (F.Kind == FrameScan::Section) {
      if (Error E = scanSection(Offset, F.Size))
        return E;
    } else if (F.Kind == FrameScan::CutOff) {
      if (Sections.empty())
        return wrong(Offset, "cut off at offset " + Twine(File->size()));
      Damage = cutText(File->size());
    } else if (F.Kind == FrameScan::NotAFrame) {
      if (Sections.empty())
        return wrong(TraceError::NoOffset, NoTraceText);
      stopScan(Offset, "not a zstd frame");
    }
    Offset += F.Size;
  }
  if (Sections.empty())
    return File->size() == 0 ? wrong(TraceError::NoOffset, "empty file")
                             : wrong(0, "no header");
  if (Damage.empty())
    Damage = cutText(File->size());
  return Error::success();
}

Error TraceReader::Impl::open() {
  if (Error E = openByIndex().moveInto(Complete))
    return E;
  if (!Complete)
    if (Error E = scan())
      return E;
  SectionKind Kind;
  if (Error E = load(Sections.front(), Kind))
    return E;
  if (Kind != SectionKind::Header)
    return wrong(0, "a trace begins with a header");
  if (std::string P = Decode.decode(Head); !P.empty())
    return wrong(0, P);
  return Error::success();
}

/// Opens B for the decoder; an error if B is not of the kind Want.
Error TraceReader::Impl::openSection(const SectionInfo &B, SectionKind Want) {
  SectionKind Kind;
  if (Error E = load(B, Kind))
    return E;
  if (Kind != Want)
    return wrong(B.Offset, Twine("a section of ") + sectionKindName(Kind) +
                               " where the index says " +
                               sectionKindName(Want));
  ++NumDecoded[static_cast<size_t>(Kind)];
  return Error::success();
}

template <class T>
Error TraceReader::Impl::read(const SectionInfo &B, SectionKind Want, T &Out) {
  if (Error E = openSection(B, Want))
    return E;
  return decoded(B, Decode.decode(Out));
}

/// Brings the stack tree to the begin of B, then decodes B.
Error TraceReader::Impl::readDictionary(const SectionInfo &B, Dictionary &Out,
                                        bool Strict) {
  if (TreeEnd > B.Offset) {
    Decode.restart();
    TreeEnd = 0;
  }
  if (TreeEnd == 0) {
    uint64_t Bytes = 0;
    for (const SectionInfo &X : Sections)
      Bytes += X.Kind == SectionKind::Dictionary ? X.Raw : 0;
    // A node takes at least three bytes, and unused room costs nothing. The
    // index may have wrong sizes, so the file's size is the bound.
    Decode.reserveTree(std::min<uint64_t>(Bytes / 3, File->size()));
  }
  Decode.setStrict(false);
  // Sections are in the order of the file: only those after the last one read
  // are looked at, as a trace may have tens of thousands.
  auto After = partition_point(
      Sections, [&](const SectionInfo &X) { return X.Offset < TreeEnd; });
  for (const SectionInfo &X : make_range(After, Sections.end())) {
    if (X.Offset >= B.Offset)
      break;
    if (X.Kind != SectionKind::Dictionary)
      continue;
    if (Error E = read(X, SectionKind::Dictionary, Out))
      return E;
    TreeEnd = X.Offset + X.Compressed;
  }
  Decode.setStrict(Strict);
  Error E = read(B, SectionKind::Dictionary, Out);
  Decode.setStrict(false);
  TreeEnd = B.Offset + B.Compressed;
  if (E) {
    Decode.restart();
    TreeEnd = 0;
  }
  return E;
}

TraceReader::TraceReader(std::unique_ptr<Impl> I) : I(std::move(I)) {}
TraceReader::~TraceReader() = default;

Expected<std::unique_ptr<TraceReader>> TraceReader::open(StringRef Path) {
  Expected<InputFile> F = InputFile::open(Path);
  if (!F)
    return F.takeError();
  Expected<std::shared_ptr<const TraceBytes>> B = F->takeBytes();
  if (!B)
    return B.takeError();
  return create(std::move(*B));
}

Expected<std::unique_ptr<TraceReader>> TraceReader::openFd(int Fd,
                                                           StringRef Name) {
  Expected<InputFile> F = InputFile::openFd(Fd, Name);
  if (!F)
    return F.takeError();
  Expected<std::shared_ptr<const TraceBytes>> B = F->takeBytes();
  if (!B)
    return B.takeError();
  return create(std::move(*B));
}

Expected<std::unique_ptr<TraceReader>>
TraceReader::create(std::unique_ptr<MemoryBuffer> Buffer) {
  return create(std::make_shared<const TraceBytes>(std::move(Buffer)));
}

Expected<std::unique_ptr<TraceReader>>
TraceReader::create(std::shared_ptr<const TraceBytes> Bytes) {
  auto I = std::make_unique<Impl>(std::move(Bytes));
  if (Error E = I->open())
    return std::move(E);
  return std::unique_ptr<TraceReader>(new TraceReader(std::move(I)));
}

Expected<std::unique_ptr<TraceReader>> TraceReader::again() const {
  return create(I->File);
}

StringRef TraceReader::name() const { return I->File->name(); }
uint64_t TraceReader::fileBytes() const { return I->File->size(); }
const Header &TraceReader::header() const { return I->Head; }
ArrayRef<SectionInfo> TraceReader::sections() const { return I->Sections; }
bool TraceReader::complete() const { return I->Complete; }
StringRef TraceReader::damage() const { return I->Damage; }

UnknownValues TraceReader::unknownValues() const {
  UnknownValues All;
  for (const SectionInfo &B : I->Sections)
    All.Counts[UnknownValues::Sections] += B.Kind == SectionKind::None;
  for (const auto &[Offset, Values] : I->Unknown)
    All += Values;
  return All;
}

void TraceReader::joinUnknown(const TraceReader &Other) {
  for (const auto &[Offset, Values] : Other.I->Unknown)
    I->Unknown[Offset].join(Values);
}

Error TraceReader::checkEvents(uint64_t MaxNs) {
  auto End = std::chrono::steady_clock::now() + std::chrono::nanoseconds(MaxNs);
  for (const SectionInfo &B : I->Sections) {
    if (B.Kind != SectionKind::Events)
      continue;
    SectionKind Kind;
    if (Error E = I->load(B, Kind))
      return E;
    if (std::chrono::steady_clock::now() >= End)
      break;
  }
  return Error::success();
}

std::vector<std::string> TraceReader::unknownWarnings() const {
  std::vector<std::string> Out = unknownValues().sentences();
  for (std::string &Sentence : Out)
    Sentence = (name() + ": " + Sentence).str();
  return Out;
}

Error TraceReader::read(const SectionInfo &B, Dictionary &Out) {
  return I->readDictionary(B, Out, /*Strict=*/false);
}

TraceReader::EventReader::EventReader(const TraceReader &R)
    : I(std::make_unique<Impl>(R.I->File)) {}
TraceReader::EventReader::~EventReader() = default;
Error TraceReader::EventReader::read(const SectionInfo &B, EventTable &Out) {
  return I->read(B, SectionKind::Events, Out);
}

Error TraceReader::read(const SectionInfo &B, Events &Out) {
  return I->read(B, SectionKind::Events, Out);
}
Error TraceReader::read(const SectionInfo &B, EventTable &Out) {
  return I->read(B, SectionKind::Events, Out);
}
Error TraceReader::read(const SectionInfo &B, Marks &Out) {
  return I->read(B, SectionKind::Marks, Out);
}
Error TraceReader::read(const SectionInfo &B, Intervals &Out) {
  return I->read(B, SectionKind::Intervals, Out);
}
Error TraceReader::read(const SectionInfo &B, Lifetimes &Out) {
  return I->read(B, SectionKind::Lifetimes, Out);
}
Error TraceReader::read(const SectionInfo &B, Snapshot &Out) {
  return I->read(B, SectionKind::Snapshot, Out);
}
Error TraceReader::read(const SectionInfo &B, Summary &Out) {
  return I->read(B, SectionKind::Summary, Out);
}

Error TraceReader::read(const SectionInfo &B, Partial &Out) {
  return I->read(B, SectionKind::Partial, Out);
}
Error TraceReader::read(const SectionInfo &B, BlockCategories &Out) {
  return I->read(B, SectionKind::BlockCategories, Out);
}
Error TraceReader::read(const SectionInfo &B, ScopeTimes &Out) {
  return I->read(B, SectionKind::ScopeTimes, Out);
}
Error TraceReader::read(const SectionInfo &B, DeviceSpans &Out) {
  return I->read(B, SectionKind::DeviceSpans, Out);
}

std::vector<uint32_t> TraceReader::takeParents() {
  I->TreeEnd = 0;
  return I->Decode.takeParents();
}

Error TraceReader::readOutline(const SectionInfo &B, DictionaryOutline &Out,
                               bool WithStrings) {
  if (Error E = I->openSection(B, SectionKind::Dictionary))
    return E;
  return I->decoded(B, I->Decode.outline(Out, WithStrings));
}

Error TraceReader::readNames(const SectionInfo &B, DictionaryOutline &Out) {
  if (Error E = I->openSection(B, SectionKind::Dictionary))
    return E;
  return I->decoded(B, I->Decode.names(Out));
}

uint64_t TraceReader::numDecoded(SectionKind Kind) const {
  return I->NumDecoded[static_cast<size_t>(Kind)];
}

Error TraceReader::readTotals(const SectionInfo &B, Summary &Out) {
  if (Error E = I->openSection(B, SectionKind::Summary))
    return E;
  return I->decoded(B, I->Decode.decodeTotals(Out));
}

Error TraceReader::readHeads(const SectionInfo &B, Intervals &Out) {
  if (Error E = I->openSection(B, SectionKind::Intervals))
    return E;
  return I->decoded(B, I->Decode.decodeHeads(Out));
}

Error TraceReader::readHead(const SectionInfo &B, Snapshot &Out) {
  if (Error E = I->openSection(B, SectionKind::Snapshot))
    return E;
  return I->decoded(B, I->Decode.decodeHead(Out));
}

Expected<AnySection> TraceReader::readAny(const SectionInfo &B) {
  AnySection Out;
  if (B.Kind == SectionKind::Dictionary) {
    memkit::Dictionary D;
    if (Error E = I->readDictionary(B, D, /*Strict=*/true))
      return std::move(E);
    Out = std::move(D);
    return Out;
  }
  SectionKind Kind;
  I->Decode.setStrict(true);
  Error E = I->load(B, Kind);
  std::string Problem = E ? "" : I->Decode.decode(Out);
  I->Decode.setStrict(false);
  if (E)
    return std::move(E);
  if (!Problem.empty())
    return I->wrong(B.Offset, Problem);
  return Out;
}

bool memkit::isBeingRecorded(StringRef Path) {
  if (isLive(Path))
    return true;
  int Fd = ::open(Path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (Fd < 0)
    return false;
  struct stat Info;
  bool IsRegular = fstat(Fd, &Info) == 0 && S_ISREG(Info.st_mode);
  // The lock is given back at once: a new recording of the name wants it.
  bool IsLocked =
      IsRegular && flock(Fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(Fd);
  return IsLocked;
}
