// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of memray's recordings, of versions 7 to 13.

#ifndef MEMKIT_LIB_IMPORT_MEMRAYHEADER_H
#define MEMKIT_LIB_IMPORT_MEMRAYHEADER_H

#include "Import/Source/ByteReader.h"

namespace memkit {

inline constexpr llvm::StringRef MemrayMagic{"memray\0", 7};

/// The versions differ: 9 has the main thread and its skipped frames, 10 the
/// kind of file, 11 whether Python's allocators were traced, 12 code objects in
/// place of lines, 13 search paths.
struct MemrayHeader {
  static constexpr uint32_t LowestVersion = 7, HighestVersion = 13;
  uint32_t Version = 0;
  uint32_t PythonVersion = 0; ///< PY_VERSION_HEX; 0 before version 12
  bool HasNative = false;
  bool IsAggregated = false;       ///< sums at the peak and at the end alone
  uint64_t Allocations = 0;        ///< 0: the recording did not end
  uint64_t StartMs = 0, EndMs = 0; ///< since 1970; EndMs 0: not known
  std::string Command;
  uint32_t Pid = 0;
  uint64_t MainThread = 0;
  uint64_t SkippedFrames = 0; ///< memray's own, outermost in MainThread
  bool HasPythonAllocators = false;
  bool HasObjects = false;

  /// From version 12 on a record's first byte holds its kind in the high bits.
  bool hasCodeObjects() const { return Version >= 12; }
};

/// The words of the program's own command: those after `memray run` and its
/// options, behind `python`. All words of another command line.
std::vector<std::string> memrayCommand(llvm::StringRef Command);

/// Reads the header. Errors: another version, with both.
llvm::Expected<MemrayHeader> readMemrayHeader(ByteReader &In);

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_MEMRAYHEADER_H
