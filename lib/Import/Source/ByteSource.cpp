// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of another tool's file, decompressed.

#include "ByteSource.h"
#include "ImportBounds.h"
#include "Trace/OpenFile.h"
#include "Trace/ZstdInput.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <lz4frame.h>
#include <optional>
#include <vector>
#include <zlib.h>

using namespace llvm;
using namespace memkit;

ByteSource::~ByteSource() = default;

namespace {

/// The bytes of the file as they are.
class PlainSource : public ByteSource {
public:
  explicit PlainSource(std::shared_ptr<const TraceBytes> Bytes,
                       ProgressCallback OnProgress = {})
      : Bytes(std::move(Bytes)), OnProgress(std::move(OnProgress)) {
    tell();
  }
  ~PlainSource() override {
    At = Bytes->size();
    tell();
  }

  Expected<size_t> read(MutableArrayRef<uint8_t> To) override {
    size_t Size = std::min<uint64_t>(To.size(), Bytes->size() - At);
    auto Part = Bytes->read(At, Size, Scratch);
    if (!Part)
      return Part.takeError();
    copy(*Part, To.begin());
    At += Size;
    tell();
    return Size;
  }

private:
  void tell() {
    if (OnProgress)
      OnProgress(("reading " + Bytes->name()).str(), At, Bytes->size());
  }

  std::shared_ptr<const TraceBytes> Bytes;
  ProgressCallback OnProgress;
  uint64_t At = 0;
  std::vector<uint8_t> Scratch;
};

/// How far one call of a decompressor has come.
struct DecompressStep {
  size_t Used = 0, Made = 0;
};

/// Feeds a decompressor, which step() calls, with the bytes of another source.
class DecompressingSource : public ByteSource {
public:
  DecompressingSource(std::unique_ptr<ByteSource> From, const TraceBytes &File,
                      const char *Format)
      : From(std::move(From)), Name(File.name()), Format(Format),
        Bounds(File.size()), Buffer(1 << 18) {}

  Expected<size_t> read(MutableArrayRef<uint8_t> To) override {
    while (true) {
      if (Begin == End)
        if (Error E = fill())
          return std::move(E);
      ArrayRef<uint8_t> Rest = ArrayRef(Buffer).slice(Begin, End - Begin);
      Expected<DecompressStep> Done = step(Rest, To);
      if (!Done)
        return fail(toString(Done.takeError()));
      Begin += Done->Used;
      Consumed += Done->Used;
      Produced += Done->Made;
      if (Produced > Bounds.content())
        return fail(Bounds.tooMuchContent());
      if (Done->Made)
        return Done->Made;
      if (!Rest.empty() && !Done->Used)
        return fail("the data make no progress");
      if (Rest.empty() && IsLast) {
        IsCut = !isWhole();
        if (IsCut)
          return fail("the file ends in the middle of compressed data");
        return 0;
      }
    }
  }

  bool endsEarly() const override { return IsCut; }

protected:
  virtual Expected<DecompressStep> step(ArrayRef<uint8_t> In,
                                        MutableArrayRef<uint8_t> To) = 0;
  /// Whether all compressed data so far are complete.
  virtual bool isWhole() const = 0;

private:
  Error fill() {
    if (IsLast)
      return Error::success();
    Expected<size_t> Size = From->read(Buffer);
    if (!Size)
      return Size.takeError();
    Begin = 0;
    End = *Size;
    IsLast = *Size == 0;
    return Error::success();
  }
  Error fail(const Twine &What) const {
    return makeTraceError(Name, Consumed, Twine(Format) + ": " + What);
  }

  std::unique_ptr<ByteSource> From;
  std::string Name;
  const char *Format;
  ImportBounds Bounds; ///< of the file, for each of several compressions
  std::vector<uint8_t> Buffer;
  size_t Begin = 0, End = 0;
  uint64_t Consumed = 0; ///< of the compressed data, for errors
  uint64_t Produced = 0; ///< bytes so far
  bool IsLast = false, IsCut = false;
};

Error failure(const char *What) {
  return createStringError(inconvertibleErrorCode(), What);
}

class GzipSource : public DecompressingSource {
public:
  GzipSource(std::unique_ptr<ByteSource> From, const TraceBytes &File)
      : DecompressingSource(std::move(From), File, "gzip") {
    constexpr int GzipWindow = 15 + 16;
    IsReady = inflateInit2(&Stream, GzipWindow) == Z_OK;
  }
  ~GzipSource() override {
    if (IsReady)
      inflateEnd(&Stream);
  }

protected:
  Expected<DecompressStep> step(ArrayRef<uint8_t> In,
                                MutableArrayRef<uint8_t> To) override {
    if (!IsReady)
      return failure("no memory");
    if (In.empty())
      return DecompressStep();
    // Several gzip streams may follow one another.
    if (std::exchange(AtEnd, false))
      inflateReset(&Stream);
    Stream.next_in = const_cast<uint8_t *>(In.data());
    Stream.avail_in = uInt(In.size());
    Stream.next_out = To.data();
    Stream.avail_out = uInt(std::min<size_t>(To.size(), 1u << 30));
    size_t Room = Stream.avail_out;
    int Status = inflate(&Stream, Z_NO_FLUSH);
    AtEnd = Status == Z_STREAM_END;
    IsAny = true;
    if (Status != Z_OK && Status != Z_STREAM_END && Status != Z_BUF_ERROR)
      return failure(Stream.msg ? Stream.msg : "damaged data");
    return DecompressStep{In.size() - Stream.avail_in, Room - Stream.avail_out};
  }
  bool isWhole() const override { return AtEnd || !IsAny; }

private:
  z_stream Stream = {};
  bool IsReady, AtEnd = false, IsAny = false;
};

class ZstdSource : public DecompressingSource {
public:
  ZstdSource(std::unique_ptr<ByteSource> From, const TraceBytes &File)
      : DecompressingSource(std::move(From), File, "zstd") {}

protected:
  Expected<DecompressStep> step(ArrayRef<uint8_t> In,
                                MutableArrayRef<uint8_t> To) override {
    Expected<ZstdInput::ZstdStep> Done = Input.step(In, To);
    if (!Done)
      return Done.takeError();
    return DecompressStep{Done->Used, Done->Made};
  }
  bool isWhole() const override { return Input.atEnd(); }

private:
  ZstdInput Input;
};

class Lz4Source : public DecompressingSource {
public:
  Lz4Source(std::unique_ptr<ByteSource> From, const TraceBytes &File)
      : DecompressingSource(std::move(From), File, "lz4") {
    IsReady =
        !LZ4F_isError(LZ4F_createDecompressionContext(&Context, LZ4F_VERSION));
  }
  ~Lz4Source() override {
    if (IsReady)
      LZ4F_freeDecompressionContext(Context);
  }

protected:
  Expected<DecompressStep> step(ArrayRef<uint8_t> In,
                                MutableArrayRef<uint8_t> To) override {
    if (!IsReady)
      return failure("no memory");
    size_t Used = In.size(), Made = To.size();
    size_t Left =
        LZ4F_decompress(Context, To.data(), &Made, In.data(), &Used, nullptr);
    if (LZ4F_isError(Left))
      return failure(LZ4F_getErrorName(Left));
    if (Used || Made)
      AtEnd = Left == 0;
    return DecompressStep{Used, Made};
  }
  bool isWhole() const override { return AtEnd; }

private:
  LZ4F_dctx *Context = nullptr;
  bool IsReady, AtEnd = true;
};

/// The compressions by their first bytes.
enum class Packing { None, Gzip, Zstd, Lz4 };

Packing packingOf(StringRef First) {
  if (First.starts_with("\x1f\x8b\x08"))
    return Packing::Gzip;
  if (First.starts_with("\x28\xb5\x2f\xfd"))
    return Packing::Zstd;
  if (First.starts_with("\x04\x22\x4d\x18"))
    return Packing::Lz4;
  return Packing::None;
}

std::unique_ptr<ByteSource> unpack(Packing P, std::unique_ptr<ByteSource> From,
                                   const TraceBytes &File) {
  switch (P) {
  case Packing::None:
    return From;
  case Packing::Gzip:
    return std::make_unique<GzipSource>(std::move(From), File);
  case Packing::Zstd:
    return std::make_unique<ZstdSource>(std::move(From), File);
  case Packing::Lz4:
    return std::make_unique<Lz4Source>(std::move(From), File);
  }
  return From;
}

/// Reads until To is full, or the source ends, be it early.
Expected<size_t> readFully(ByteSource &From, MutableArrayRef<uint8_t> To) {
  size_t Size = 0;
  while (Size != To.size()) {
    Expected<size_t> Part = From.read(To.drop_front(Size));
    if (!Part && From.endsEarly() && Size) {
      consumeError(Part.takeError());
      break;
    }
    if (!Part)
      return Part.takeError();
    if (!*Part)
      break;
    Size += *Part;
  }
  return Size;
}

} // namespace

Expected<ImportFile> ImportFile::open(StringRef Path) {
  Expected<InputFile> File = InputFile::open(Path);
  if (!File)
    return File.takeError();
  auto Bytes = File->takeBytes();
  if (!Bytes)
    return Bytes.takeError();
  return ImportFile(std::move(*Bytes));
}

ImportFile ImportFile::ofMemory(StringRef Bytes, StringRef Name) {
  return ImportFile(std::make_shared<const TraceBytes>(
      MemoryBuffer::getMemBuffer(Bytes, Name, false)));
}

std::string ImportFile::baseName() const {
  StringRef Name = name();
  return Name.starts_with("<") ? "" : sys::path::filename(Name).str();
}

Expected<StringRef> ImportFile::compression() const {
  std::vector<uint8_t> Scratch;
  auto First = Bytes->read(0, std::min<uint64_t>(4, Bytes->size()), Scratch);
  if (!First)
    return First.takeError();
  switch (packingOf(toStringRef(*First))) {
  case Packing::None:
    return "";
  case Packing::Gzip:
    return "gzip";
  case Packing::Zstd:
    return "zstd";
  case Packing::Lz4:
    return "lz4";
  }
  return "";
}

Expected<std::unique_ptr<ByteSource>>
ImportFile::decompressed(ProgressCallback OnProgress) const {
  std::vector<Packing> Layers;
  auto Make = [&](ProgressCallback Tell = {}) {
    std::unique_ptr<ByteSource> S =
        std::make_unique<PlainSource>(Bytes, std::move(Tell));
    for (Packing P : Layers)
      S = unpack(P, std::move(S), *Bytes);
    return S;
  };
  // A tool's compressed file that a person has compressed again.
  constexpr size_t MaxLayers = 2;
  while (Layers.size() != MaxLayers) {
    uint8_t First[4];
    Expected<size_t> Size = readFully(*Make(), First);
    if (!Size)
      return Size.takeError();
    Packing P = packingOf(toStringRef(ArrayRef(First).take_front(*Size)));
    if (P == Packing::None)
      break;
    Layers.push_back(P);
  }
  return Make(std::move(OnProgress));
}

Expected<std::string> ImportFile::firstBytes(size_t Size) const {
  auto Source = decompressed();
  if (!Source)
    return Source.takeError();
  std::vector<uint8_t> First(Size);
  Expected<size_t> Made = readFully(**Source, First);
  if (!Made)
    return Made.takeError();
  return toStringRef(ArrayRef(First).take_front(*Made)).str();
}
