// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zstd frames and the seek table.
//
// The container: each section is one zstd frame with content size and checksum.
// A complete trace ends with a seek table of zstd's seekable format
// (contrib/seekable_format in zstd's sources, version 0.1.0). No other file
// uses zstd.

#ifndef MEMKIT_LIB_TRACE_FRAMES_H
#define MEMKIT_LIB_TRACE_FRAMES_H

#include "memkit/Trace/Sections.h"
#include "memkit/Trace/TraceBytes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace memkit {

using Bytes = llvm::ArrayRef<uint8_t>;

class FrameCompressor {
public:
  FrameCompressor();
  /// Compresses Raw into Out (replaced). Cuts: rising offsets in Raw at which a
  /// new zstd block begins, so that each part has entropy tables of its own.
  void compress(Bytes Raw, llvm::ArrayRef<size_t> Cuts,
                llvm::SmallVectorImpl<char> &Out) {
    start(Raw, Cuts, Out);
    while (!step())
      ;
  }

  /// As compress(), in steps: Raw, Cuts and Out must stay unchanged until
  /// step() returns true.
  void start(Bytes Raw, llvm::ArrayRef<size_t> Cuts,
             llvm::SmallVectorImpl<char> &Out);
  /// Compresses up to the first cut that is at least StepBytes away. True when
  /// Out is complete.
  bool step();

private:
  static constexpr size_t StepBytes = 1 << 15;
  void feed(size_t End, bool Last);

  /// The memory of the compressor, enough for any section. Without it zstd
  /// allocates a workspace by the size of the section, and replaces a large one
  /// by a small one after many small sections.
  std::unique_ptr<char[]> Workspace;
  ZSTD_CCtx_s *Context; ///< in Workspace

  // The frame that is being compressed.
  Bytes Raw;
  llvm::ArrayRef<size_t> Cuts;
  llvm::SmallVectorImpl<char> *Out = nullptr;
  size_t Done = 0;     ///< bytes of Raw
  size_t Produced = 0; ///< bytes of Out
};

class FrameDecompressor {
public:
  FrameDecompressor();
  ~FrameDecompressor();
  /// Decompresses one frame of at most MaxSectionBytes into Out. Returns a
  /// description of the error, or an empty string.
  std::string decompress(Bytes Frame, std::vector<uint8_t> &Out);

private:
  ZSTD_DCtx_s *Context;
};

/// The kind of data at the beginning of Data.
struct FrameScan {
  enum { Section, Skippable, CutOff, NotAFrame } Kind;
  size_t Size = 0; ///< of the frame, for Section and Skippable
};
FrameScan scanFrame(Bytes Data);

/// What is wrong with a file that begins with no frame.
inline constexpr char NoTraceText[] =
    "not a memkit trace; memrec writes traces, memimport makes them of other "
    "tools' recordings";

struct SeekEntry {
  uint32_t Compressed;
  uint32_t Raw;
};
/// The seek table of Frames frames in three parts: head, one entry appended to
/// Out, and foot.
std::string seekTableHead(size_t Frames);
void appendSeekEntry(SeekEntry E, std::string &Out);
std::string seekTableFoot(size_t Frames);

/// The largest frame of a section: zstd expands incompressible data by less.
inline constexpr size_t MaxFrameBytes = size_t(MaxSectionBytes) + (1 << 20);

/// Reads the seek table at the end of a file and sets TableOffset to the
/// table's offset. Empty without a table, or if its sizes do not add up to the
/// offset. Errors: of reading.
llvm::Expected<std::optional<std::vector<SeekEntry>>>
readSeekTable(const TraceBytes &File, uint64_t &TableOffset);

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_FRAMES_H
