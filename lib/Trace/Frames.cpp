// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zstd frames and the seek table.

#define ZSTD_STATIC_LINKING_ONLY
#include "Frames.h"
#include "memkit/Trace/Sections.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/ErrorHandling.h"
#include <zstd.h>
#include <zstd_errors.h>

using namespace memkit;
using namespace llvm;
using support::endian::read32le;

namespace {
// On planes with entropy tables of their own, higher levels gain about 1 %.
constexpr int Level = 1;
constexpr uint32_t SkippableMagic = 0x184D2A5E;
constexpr uint32_t SeekableMagic = 0x8F92EAB1;
constexpr size_t SkippableHeader = 8, SeekFooter = 9;
} // namespace

FrameCompressor::FrameCompressor() {
  size_t Size = ZSTD_estimateCStreamSize(Level);
  // Not cleared: unused memory is never touched.
  Workspace.reset(new char[Size]);
  Context = ZSTD_initStaticCCtx(Workspace.get(), Size);
  if (!Context)
    report_bad_alloc_error("zstd context");
  // zstd does not set the defaults of a context in memory of the caller.
  ZSTD_CCtx_reset(Context, ZSTD_reset_session_and_parameters);
  ZSTD_CCtx_setParameter(Context, ZSTD_c_compressionLevel, Level);
  ZSTD_CCtx_setParameter(Context, ZSTD_c_checksumFlag, 1);
  // The whole input and room for the whole output are available, so the context
  // needs no buffers for copies. Such buffers would be most of its memory.
  ZSTD_CCtx_setParameter(Context, ZSTD_c_stableInBuffer, 1);
  ZSTD_CCtx_setParameter(Context, ZSTD_c_stableOutBuffer, 1);
}

void FrameCompressor::start(Bytes NewRaw, ArrayRef<size_t> NewCuts,
                            SmallVectorImpl<char> &NewOut) {
  Raw = NewRaw;
  Cuts = NewCuts;
  Out = &NewOut;
  Done = Produced = 0;
  // Each flush may add a block header.
  Out->resize_for_overwrite(ZSTD_compressBound(Raw.size()) + 16 * Cuts.size() +
                            64);
  ZSTD_CCtx_reset(Context, ZSTD_reset_session_only);
  ZSTD_CCtx_setPledgedSrcSize(Context, Raw.size());
}

/// Compresses the bytes before End.
void FrameCompressor::feed(size_t End, bool Last) {
  ZSTD_outBuffer To = {Out->data(), Out->size(), Produced};
  ZSTD_inBuffer From = {Raw.data(), End, Done};
  size_t Left;
  do {
    Left = ZSTD_compressStream2(Context, &To, &From,
                                Last ? ZSTD_e_end : ZSTD_e_flush);
    if (ZSTD_isError(Left) || (Left && To.pos == To.size))
      report_fatal_error("zstd failed to compress a section");
  } while (Left);
  Done = End;
  Produced = To.pos;
}

bool FrameCompressor::step() {
  size_t Begin = Done;
  for (; !Cuts.empty(); Cuts = Cuts.drop_front()) {
    if (Done - Begin >= StepBytes)
      return false;
    feed(Cuts.front(), false);
  }
  if (Done - Begin >= StepBytes)
    return false;
  feed(Raw.size(), true);
  Out->truncate(Produced);
  return true;
}

FrameDecompressor::FrameDecompressor() : Context(ZSTD_createDCtx()) {
  if (!Context)
    report_bad_alloc_error("zstd context");
}

FrameDecompressor::~FrameDecompressor() { ZSTD_freeDCtx(Context); }

std::string FrameDecompressor::decompress(Bytes Frame,
                                          std::vector<uint8_t> &Out) {
  unsigned long long Size =
      ZSTD_getFrameContentSize(Frame.data(), Frame.size());
  if (Size == ZSTD_CONTENTSIZE_ERROR)
    return "not a zstd frame";
  if (Size == ZSTD_CONTENTSIZE_UNKNOWN)
    return "zstd frame without its content size";
  if (Size > MaxSectionBytes)
    return "section of " + std::to_string(Size) + " bytes, the most is " +
           std::to_string(MaxSectionBytes);
  Out.resize(Size);
  size_t Got = ZSTD_decompressDCtx(Context, Out.data(), Out.size(),
                                   Frame.data(), Frame.size());
  if (ZSTD_isError(Got))
    return std::string("zstd: ") + ZSTD_getErrorName(Got);
  if (Got != Size)
    return "zstd frame shorter than it says";
  return "";
}

FrameScan memkit::scanFrame(Bytes Data) {
  // Data that ends within the magic number is cut off only if it matches so
  // far.
  static const uint8_t BlockMagic[4] = {0x28, 0xB5, 0x2F, 0xFD};
  size_t Known = std::min<size_t>(Data.size(), 4);
  bool IsSection = std::equal(Data.begin(), Data.begin() + Known, BlockMagic);
  bool IsSkippable = Data.size() < 4
                         ? true
                         : (read32le(Data.data()) & 0xFFFFFFF0) == 0x184D2A50;
  if (Data.size() >= 4 && !IsSection && !IsSkippable)
    return {FrameScan::NotAFrame};
  if (Data.size() < 4)
    return {IsSection || (!Data.empty() && (Data[0] & 0xF0) == 0x50)
                ? FrameScan::CutOff
                : FrameScan::NotAFrame};
  size_t Size = ZSTD_findFrameCompressedSize(Data.data(), Data.size());
  if (ZSTD_isError(Size))
    return {ZSTD_getErrorCode(Size) == ZSTD_error_srcSize_wrong
                ? FrameScan::CutOff
                : FrameScan::NotAFrame};
  if (Size > Data.size())
    return {FrameScan::CutOff};
  return {IsSection ? FrameScan::Section : FrameScan::Skippable, Size};
}

static void put32(std::string &Out, uint32_t V) {
  char B[4];
  support::endian::write32le(B, V);
  Out.append(B, 4);
}

std::string memkit::seekTableHead(size_t Frames) {
  std::string Out;
  put32(Out, SkippableMagic);
  put32(Out, uint32_t(Frames * sizeof(SeekEntry) + SeekFooter));
  return Out;
}

void memkit::appendSeekEntry(SeekEntry E, std::string &Out) {
  put32(Out, E.Compressed);
  put32(Out, E.Raw);
}

std::string memkit::seekTableFoot(size_t Frames) {
  std::string Out;
  put32(Out, uint32_t(Frames));
  Out.push_back(0); // descriptor: no checksums, since frames have their own
  put32(Out, SeekableMagic);
  return Out;
}

Expected<std::optional<std::vector<SeekEntry>>>
memkit::readSeekTable(const TraceBytes &File, uint64_t &TableOffset) {
  if (File.size() < SkippableHeader + SeekFooter)
    return std::nullopt;
  std::vector<uint8_t> Scratch;
  Expected<Bytes> Foot =
      File.read(File.size() - SeekFooter, SeekFooter, Scratch);
  if (!Foot)
    return Foot.takeError();
  const uint8_t *Footer = Foot->data();
  if (read32le(Footer + 5) != SeekableMagic || (Footer[4] & 0x7c))
    return std::nullopt;
  uint64_t Count = read32le(Footer);
  uint64_t EntryBytes = Footer[4] & 0x80 ? 12 : 8;
  uint64_t Content = Count * EntryBytes + SeekFooter;
  if (Content + SkippableHeader > File.size())
    return std::nullopt;
  TableOffset = File.size() - SkippableHeader - Content;
  Expected<Bytes> Whole =
      File.read(TableOffset, SkippableHeader + Content, Scratch);
  if (!Whole)
    return Whole.takeError();
  const uint8_t *Table = Whole->data();
  if (read32le(Table) != SkippableMagic || read32le(Table + 4) != Content)
    return std::nullopt;
  std::vector<SeekEntry> Out(Count);
  uint64_t Sum = 0;
  for (uint64_t I = 0; I != Count; ++I) {
    const uint8_t *Entry = Table + SkippableHeader + I * EntryBytes;
    Out[I] = {read32le(Entry), read32le(Entry + 4)};
    Sum += Out[I].Compressed;
  }
  if (Sum != TableOffset)
    return std::nullopt;
  return Out;
}
