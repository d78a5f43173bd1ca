// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random access to a trace.

#include "memkit/Trace/TraceReader.h"
#include "Decode.h"
#include "Frames.h"
#include "OpenFile.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include <sys/mman.h>

using namespace memkit;
using namespace llvm;

class TraceReader::Impl {
public:
  explicit Impl(std::shared_ptr<MemoryBuffer> B)
      : Buffer(std::move(B)),
        File(reinterpret_cast<const uint8_t *>(Buffer->getBufferStart()),
             Buffer->getBufferSize()) {}

  Error open();
  bool openByIndex();
  Error scan();
  Error scanBlock(uint64_t Offset, size_t Size);
  void stopScan(uint64_t Offset, const Twine &Why);
  Error load(const BlockInfo &B, BlockKind &Kind);
  Error openBlock(const BlockInfo &B, BlockKind Want);
  template <class T> Error read(const BlockInfo &B, BlockKind Want, T &Out);
  Error readDictionary(const BlockInfo &B, Dictionary &Out, bool Strict);
  Error wrong(uint64_t Offset, const Twine &What) {
    return makeTraceError(Buffer->getBufferIdentifier(), Offset, What);
  }

  std::shared_ptr<MemoryBuffer> Buffer;
  Bytes File;
  memkit::Header Head;
  std::vector<BlockInfo> Blocks;
  bool Complete = false;
  std::string Damage;

  FrameDecompressor Decompressor;
  Decoder Decode;
  std::vector<uint8_t> Raw;
  /// Bytes of the file read since its pages were let go.
  uint64_t Held = 0;
  /// Offset behind the last dictionary that went into the decoder's tree.
  uint64_t TreeEnd = 0;
};

/// The pages of the file that were read count as the tool's memory, though
/// nothing is read twice soon: they are let go after so many bytes.
static constexpr uint64_t MaxHeld = 4 << 20;

/// Lets go of the pages of a mapped file; they come back when they are read.
/// (LLVM's dontNeedIfMmap() is advice that glibc ignores.)
static void releasePages(const MemoryBuffer &Buffer) {
  if (Buffer.getBufferKind() != MemoryBuffer::MemoryBuffer_MMap)
    return;
  uintptr_t Begin = reinterpret_cast<uintptr_t>(Buffer.getBufferStart());
  uintptr_t First = alignDown(Begin, sys::Process::getPageSizeEstimate());
  (void)madvise(reinterpret_cast<void *>(First),
                Begin - First + Buffer.getBufferSize(), MADV_DONTNEED);
}

/// Decompresses and verifies the block B.
Error TraceReader::Impl::load(const BlockInfo &B, BlockKind &Kind) {
  if (B.Offset > File.size() || B.Compressed > File.size() - B.Offset)
    return wrong(B.Offset, "a block that reaches behind the end of the file");
  if ((Held += B.Compressed) > MaxHeld) {
    releasePages(*Buffer);
    Held = B.Compressed;
  }
  std::string Problem =
      Decompressor.decompress(File.slice(B.Offset, B.Compressed), Raw);
  if (Problem.empty())
    Problem = Decode.open(Raw, Kind);
  return Problem.empty() ? Error::success() : wrong(B.Offset, Problem);
}

/// Finds the blocks by the index. False when there is none that fits; a scan
/// tells the reason.
bool TraceReader::Impl::openByIndex() {
  uint64_t TableOffset;
  auto Seek = readSeekTable(File, TableOffset);
  if (!Seek || Seek->size() < 2)
    return false;
  BlockInfo Last;
  Last.Compressed = Seek->back().Compressed;
  Last.Offset = TableOffset - Last.Compressed;
  BlockKind Kind;
  Index I;
  if (Error E = load(Last, Kind)) {
    consumeError(std::move(E));
    return false;
  }
  if (Kind != BlockKind::Index || !Decode.decode(I).empty() ||
      I.Blocks.size() + 1 != Seek->size() ||
      I.Blocks.front().Kind != BlockKind::Header)
    return false;
  for (size_t B = 0; B != I.Blocks.size(); ++B)
    if (I.Blocks[B].Compressed != (*Seek)[B].Compressed ||
        I.Blocks[B].Raw != (*Seek)[B].Raw)
      return false;
  Blocks = std::move(I.Blocks);
  return true;
}

void TraceReader::Impl::stopScan(uint64_t Offset, const Twine &Why) {
  Damage = ("corrupt at offset " + Twine(Offset) + ": " + Why +
            "; what follows is not read")
               .str();
}

/// Takes the block at Offset; ends the scan by setting Damage.
Error TraceReader::Impl::scanBlock(uint64_t Offset, size_t Size) {
  BlockInfo Info, Cover;
  Info.Offset = Offset;
  Info.Compressed = Size;
  BlockKind Kind;
  Error E = load(Info, Kind);
  if (!E)
    if (std::string P = Decode.cover(Kind, Cover); !P.empty())
      E = wrong(Offset, P);
  if (E) {
    if (Blocks.empty())
      return E;
    handleAllErrors(std::move(E),
                    [&](const TraceError &T) { stopScan(Offset, T.what()); });
    return Error::success();
  }
  if (Kind == BlockKind::Index)
    return Error::success();
  if (Blocks.empty() != (Kind == BlockKind::Header))
    return wrong(Offset,
                 Blocks.empty()
                     ? Twine("a trace begins with a header, not with ") +
                           blockKindName(Kind)
                     : Twine("a second header: traces are not joined by cat"));
  Cover.Offset = Offset;
  Cover.Compressed = Size;
  Cover.Raw = Raw.size();
  Blocks.push_back(Cover);
  return Error::success();
}

Error TraceReader::Impl::scan() {
  uint64_t Offset = 0;
  while (Offset < File.size() && Damage.empty()) {
    FrameScan F = scanFrame(File.drop_front(Offset));
    if (F.Kind == FrameScan::Block) {
      if (Error E = scanBlock(Offset, F.Size))
        return E;
    } else if (F.Kind == FrameScan::CutOff) {
      if (Blocks.empty())
        return wrong(Offset, "cut off at offset " + Twine(File.size()));
      Damage = "cut off at offset " + utostr(File.size());
    } else if (F.Kind == FrameScan::NotAFrame) {
      if (Blocks.empty())
        return wrong(Offset, "not a memkit trace (no zstd frame)");
      stopScan(Offset, "not a zstd frame");
    }
    Offset += F.Size;
  }
  if (Blocks.empty())
    return wrong(0, File.empty() ? "empty file" : "no header");
  if (Damage.empty())
    Damage = "cut off at offset " + utostr(File.size());
  return Error::success();
}

Error TraceReader::Impl::open() {
  Complete = openByIndex();
  if (!Complete)
    if (Error E = scan())
      return E;
  BlockKind Kind;
  if (Error E = load(Blocks.front(), Kind))
    return E;
  if (Kind != BlockKind::Header)
    return wrong(0, "a trace begins with a header");
  if (std::string P = Decode.decode(Head); !P.empty())
    return wrong(0, P);
  return Error::success();
}

/// Opens B for the decoder; it must be of the kind Want.
Error TraceReader::Impl::openBlock(const BlockInfo &B, BlockKind Want) {
  BlockKind Kind;
  if (Error E = load(B, Kind))
    return E;
  if (Kind != Want)
    return wrong(B.Offset, Twine("a block of ") + blockKindName(Kind) +
                               " where the index says " + blockKindName(Want));
  return Error::success();
}

template <class T>
Error TraceReader::Impl::read(const BlockInfo &B, BlockKind Want, T &Out) {
  if (Error E = openBlock(B, Want))
    return E;
  if (std::string P = Decode.decode(Out); !P.empty())
    return wrong(B.Offset, P);
  return Error::success();
}

/// Brings the stack tree to where B begins, then decodes B.
Error TraceReader::Impl::readDictionary(const BlockInfo &B, Dictionary &Out,
                                        bool Strict) {
  if (TreeEnd > B.Offset) {
    Decode.restart();
    TreeEnd = 0;
  }
  if (TreeEnd == 0) {
    uint64_t Bytes = 0;
    for (const BlockInfo &X : Blocks)
      Bytes += X.Kind == BlockKind::Dictionary ? X.Raw : 0;
    // Each node takes three bytes or more; room that is not used costs nothing.
    // The index may say anything, so the file's size bounds it.
    Decode.reserveTree(std::min<uint64_t>(Bytes / 3, File.size()));
  }
  Decode.setStrict(false);
  for (const BlockInfo &X : Blocks) {
    if (X.Offset >= B.Offset)
      break;
    if (X.Kind != BlockKind::Dictionary || X.Offset < TreeEnd)
      continue;
    if (Error E = read(X, BlockKind::Dictionary, Out))
      return E;
    TreeEnd = X.Offset + X.Compressed;
  }
  Decode.setStrict(Strict);
  Error E = read(B, BlockKind::Dictionary, Out);
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
  Expected<std::unique_ptr<MemoryBuffer>> B = F->map();
  if (!B)
    return B.takeError();
  return create(std::move(*B));
}

Expected<std::unique_ptr<TraceReader>>
TraceReader::create(std::unique_ptr<MemoryBuffer> Buffer) {
  auto I = std::make_unique<Impl>(std::move(Buffer));
  if (Error E = I->open())
    return std::move(E);
  return std::unique_ptr<TraceReader>(new TraceReader(std::move(I)));
}

StringRef TraceReader::name() const { return I->Buffer->getBufferIdentifier(); }
uint64_t TraceReader::fileBytes() const { return I->File.size(); }
const Header &TraceReader::header() const { return I->Head; }
ArrayRef<BlockInfo> TraceReader::blocks() const { return I->Blocks; }
bool TraceReader::complete() const { return I->Complete; }
StringRef TraceReader::damage() const { return I->Damage; }

Error TraceReader::read(const BlockInfo &B, Dictionary &Out) {
  return I->readDictionary(B, Out, /*Strict=*/false);
}

TraceReader::EventReader::EventReader(const TraceReader &R)
    : I(std::make_unique<Impl>(R.I->Buffer)) {}
TraceReader::EventReader::~EventReader() = default;
Error TraceReader::EventReader::read(const BlockInfo &B, EventTable &Out) {
  return I->read(B, BlockKind::Events, Out);
}

Error TraceReader::read(const BlockInfo &B, Events &Out) {
  return I->read(B, BlockKind::Events, Out);
}
Error TraceReader::read(const BlockInfo &B, EventTable &Out) {
  return I->read(B, BlockKind::Events, Out);
}
Error TraceReader::read(const BlockInfo &B, Marks &Out) {
  return I->read(B, BlockKind::Marks, Out);
}
Error TraceReader::read(const BlockInfo &B, Intervals &Out) {
  return I->read(B, BlockKind::Intervals, Out);
}
Error TraceReader::read(const BlockInfo &B, Lifetimes &Out) {
  return I->read(B, BlockKind::Lifetimes, Out);
}
Error TraceReader::read(const BlockInfo &B, Snapshot &Out) {
  return I->read(B, BlockKind::Snapshot, Out);
}
Error TraceReader::read(const BlockInfo &B, Summary &Out) {
  return I->read(B, BlockKind::Summary, Out);
}

std::vector<uint32_t> TraceReader::takeParents() {
  I->TreeEnd = 0;
  return I->Decode.takeParents();
}

Error TraceReader::readOutline(const BlockInfo &B, DictionaryOutline &Out,
                               bool WithStrings) {
  if (Error E = I->openBlock(B, BlockKind::Dictionary))
    return E;
  if (std::string P = I->Decode.outline(Out, WithStrings); !P.empty())
    return I->wrong(B.Offset, P);
  return Error::success();
}

Error TraceReader::readTotals(const BlockInfo &B, Summary &Out) {
  if (Error E = I->openBlock(B, BlockKind::Summary))
    return E;
  if (std::string P = I->Decode.decodeTotals(Out); !P.empty())
    return I->wrong(B.Offset, P);
  return Error::success();
}

Error TraceReader::readHeads(const BlockInfo &B, Intervals &Out) {
  if (Error E = I->openBlock(B, BlockKind::Intervals))
    return E;
  if (std::string P = I->Decode.decodeHeads(Out); !P.empty())
    return I->wrong(B.Offset, P);
  return Error::success();
}

Error TraceReader::readHead(const BlockInfo &B, Snapshot &Out) {
  if (Error E = I->openBlock(B, BlockKind::Snapshot))
    return E;
  if (std::string P = I->Decode.decodeHead(Out); !P.empty())
    return I->wrong(B.Offset, P);
  return Error::success();
}

Expected<AnyBlock> TraceReader::readAny(const BlockInfo &B) {
  AnyBlock Out;
  if (B.Kind == BlockKind::Dictionary) {
    memkit::Dictionary D;
    if (Error E = I->readDictionary(B, D, /*Strict=*/true))
      return std::move(E);
    Out = std::move(D);
    return Out;
  }
  BlockKind Kind;
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
