// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zstd frames and the seek table.
//
// The container: each section is one zstd frame with content size and checksum,
// and the last thing of a complete trace is a seek table as zstd's seekable
// format (contrib/seekable_format in zstd's sources, version 0.1.0) lays it
// out. The only user of zstd.

#ifndef MEMKIT_LIB_TRACE_FRAMES_H
#define MEMKIT_LIB_TRACE_FRAMES_H

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
  /// Compresses Raw into Out (replaced). Cuts are offsets in Raw, rising, at
  /// which a new zstd block begins, so that what lies between gets entropy
  /// tables of its own.
  void compress(Bytes Raw, llvm::ArrayRef<size_t> Cuts,
                llvm::SmallVectorImpl<char> &Out) {
    start(Raw, Cuts, Out);
    while (!step())
      ;
  }

  /// As compress(), in steps: Raw, Cuts and Out stay as they are until step()
  /// has returned true.
  void start(Bytes Raw, llvm::ArrayRef<size_t> Cuts,
             llvm::SmallVectorImpl<char> &Out);
  /// Goes on up to the next cut that is StepBytes away or more. True when Out
  /// is complete.
  bool step();

private:
  static constexpr size_t StepBytes = 1 << 15;
  void feed(size_t End, bool Last);

  /// All that the compressor needs for any section. Left to itself it takes a
  /// workspace by the size of the section, and after many small sections gives
  /// a large one back for a small one.
  std::unique_ptr<char[]> Workspace;
  ZSTD_CCtx_s *Context; ///< in Workspace

  // Of the frame that is being made.
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
  /// Decompresses one frame. What is wrong, or an empty string. Out takes at
  /// most MaxSectionBytes.
  std::string decompress(Bytes Frame, std::vector<uint8_t> &Out);

private:
  ZSTD_DCtx_s *Context;
};

/// What stands at the beginning of Data.
struct FrameScan {
  enum { Section, Skippable, CutOff, NotAFrame } Kind;
  size_t Size = 0; ///< of the frame, for Section and Skippable
};
FrameScan scanFrame(Bytes Data);

struct SeekEntry {
  uint32_t Compressed;
  uint32_t Raw;
};
/// The seek table of Frames frames in three parts: what comes before the
/// entries, an entry appended to Out, and what ends it.
std::string seekTableHead(size_t Frames);
void appendSeekEntry(SeekEntry E, std::string &Out);
std::string seekTableFoot(size_t Frames);

/// Reads the seek table at the end of File when there is one and its sizes add
/// up to where it begins, TableOffset.
std::optional<std::vector<SeekEntry>> readSeekTable(Bytes File,
                                                    uint64_t &TableOffset);

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_FRAMES_H
