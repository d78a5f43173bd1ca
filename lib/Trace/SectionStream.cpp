// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections in file order, as they come.

#include "Decode.h"
#include "Frames.h"
#include "OpenFile.h"
#include "memkit/Trace/TraceError.h"
#include "memkit/Trace/TraceReader.h"
#include "llvm/ADT/StringExtras.h"

using namespace memkit;
using namespace llvm;

namespace {
constexpr size_t ReadBytes = 256 << 10;
} // namespace

class SectionStream::Impl {
public:
  Impl(InputFile F, Unknown How)
      : File(std::move(F)), Strict(How == Unknown::Refuse) {
    Decode.setStrict(Strict);
  }

  Expected<std::optional<AnySection>> next();
  Expected<FrameScan> fill();
  Expected<std::optional<AnySection>> take(size_t Size);
  Bytes ahead() const { return Bytes(Buffer).slice(Begin, End - Begin); }
  void drop(size_t N) {
    Begin += N;
    Offset += N;
  }
  Error wrong(const Twine &What) {
    return makeTraceError(File.name(), Offset, What);
  }
  /// Ends the stream early: an error before the header, damage after it.
  Expected<std::optional<AnySection>> stop(const Twine &Error_,
                                           const Twine &Damage_) {
    Ended = true;
    if (!HasHeader)
      return wrong(Error_);
    Damage = Damage_.str();
    return std::nullopt;
  }
  /// As stop(), with an error about the whole file.
  Expected<std::optional<AnySection>> stopFile(const Twine &Error_,
                                               const Twine &Damage_) {
    if (HasHeader)
      return stop(Error_, Damage_);
    Ended = true;
    return makeFileError(File.name(), Error_);
  }

  InputFile File;
  bool Strict;
  std::vector<uint8_t> Buffer; ///< [Begin, End) was read but not used
  size_t Begin = 0, End = 0;
  uint64_t Offset = 0; ///< in the file, of Begin
  bool AtEof = false, Ended = false, HasHeader = false, HasIndex = false;
  std::string Damage;
  SectionInfo Info;
  UnknownValues Unknown;
  FrameDecompressor Decompressor;
  Decoder Decode;
  std::vector<uint8_t> Raw;
};

/// Reads until a whole frame or the end of the file is in the buffer.
Expected<FrameScan> SectionStream::Impl::fill() {
  for (;;) {
    FrameScan F =
        End == Begin ? FrameScan{FrameScan::CutOff} : scanFrame(ahead());
    if (F.Kind != FrameScan::CutOff || AtEof)
      return F;
    if (End - Begin > MaxFrameBytes)
      return FrameScan{FrameScan::NotAFrame};
    if (Begin) {
      std::copy(Buffer.begin() + Begin, Buffer.begin() + End, Buffer.begin());
      End -= Begin;
      Begin = 0;
    }
    Buffer.resize(std::max(Buffer.size(), End + ReadBytes));
    Expected<size_t> N = File.read(Buffer.data() + End, Buffer.size() - End);
    if (!N)
      return N.takeError();
    AtEof = !*N;
    End += *N;
  }
}

Expected<std::optional<AnySection>> SectionStream::Impl::take(size_t Size) {
  AnySection Out;
  SectionKind Kind = SectionKind::None;
  std::string Problem = Decompressor.decompress(ahead().take_front(Size), Raw);
  if (Problem.empty())
    Problem = Decode.open(Raw, Kind);
  if (Problem.empty() && (Strict || Kind != SectionKind::None))
    Problem = Decode.decode(Out);
  if (!Problem.empty())
    return stop(Problem, "corrupt at offset " + Twine(Offset) + ": " + Problem +
                             "; the remainder is not read");
  if (HasHeader == (Kind == SectionKind::Header)) {
    Ended = true;
    return wrong(
        HasHeader ? Twine("a second header (traces cannot be joined with cat)")
                  : Twine("a trace begins with a header, not with ") +
                        sectionKindName(Kind));
  }
  Unknown += Decode.unknownValues();
  Unknown.Counts[UnknownValues::Sections] += Kind == SectionKind::None;
  HasHeader = true;
  HasIndex |= Kind == SectionKind::Index;
  Info = SectionInfo();
  Info.Kind = Kind;
  Info.Offset = Offset;
  Info.Compressed = Size;
  Info.Raw = Raw.size();
  drop(Size);
  return Out;
}

Expected<std::optional<AnySection>> SectionStream::Impl::next() {
  while (!Ended) {
    Expected<FrameScan> F = fill();
    if (!F)
      return F.takeError();
    switch (F->Kind) {
    case FrameScan::Section:
      return take(F->Size);
    case FrameScan::Skippable:
      drop(F->Size);
      break;
    case FrameScan::NotAFrame:
      return stopFile(NoTraceText,
                      "corrupt at offset " + Twine(Offset) +
                          ": not a zstd frame; the remainder is not read");
    case FrameScan::CutOff: {
      uint64_t Size = Offset + (End - Begin);
      if (!Size)
        return stopFile("empty file", "");
      Ended = true;
      if (!HasHeader)
        return wrong("cut off at offset " + Twine(Size));
      if (Begin != End || !HasIndex)
        Damage = "cut off at offset " + utostr(Size);
      break;
    }
    }
  }
  return std::nullopt;
}

SectionStream::SectionStream(std::unique_ptr<Impl> I) : I(std::move(I)) {}
SectionStream::~SectionStream() = default;

Expected<std::unique_ptr<SectionStream>> SectionStream::open(StringRef Path,
                                                             Unknown How) {
  Expected<InputFile> F = InputFile::open(Path);
  if (!F)
    return F.takeError();
  return std::unique_ptr<SectionStream>(
      new SectionStream(std::make_unique<Impl>(std::move(*F), How)));
}

StringRef SectionStream::name() const { return I->File.name(); }
Expected<std::optional<AnySection>> SectionStream::next() { return I->next(); }
const SectionInfo &SectionStream::info() const { return I->Info; }
StringRef SectionStream::damage() const { return I->Damage; }
std::vector<std::string> SectionStream::unknownWarnings() const {
  std::vector<std::string> Out = I->Unknown.sentences();
  for (std::string &Sentence : Out)
    Sentence = (name() + ": " + Sentence).str();
  return Out;
}
