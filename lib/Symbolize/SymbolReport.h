// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What adding symbols to a trace has found.

#ifndef MEMKIT_LIB_SYMBOLIZE_SYMBOLREPORT_H
#define MEMKIT_LIB_SYMBOLIZE_SYMBOLREPORT_H

#include "JitSymbols.h"
#include "SymbolFiles.h"
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

/// Why frames of a binary have no symbols.
enum class SymbolGap {
  None,
  NoBinary,    ///< the frames name no binary of the trace
  NoBuildId,   ///< the trace has no build-id of the binary
  NoFile,      ///< no file with the build-id was found
  BadFile,     ///< a file does not serve
  BadSymbols,  ///< the debug information could not be read
  NoDebugInfo, ///< the file has symbols alone, which do not cover the frames
  NotCovered,  ///< the debug information does not cover the frames
};

/// The frames of one binary. Counts frames that lacked something: symbols at
/// all, or the line.
struct BinarySymbolCounts {
  std::string Path; ///< as recorded; empty: not known
  std::vector<uint8_t> BuildId;
  bool IsProgram = false; ///< the main binary of a process
  uint64_t Frames = 0;    ///< without symbols in the input
  uint64_t Resolved = 0;  ///< of Frames: with symbols now
  uint64_t Lineless = 0;  ///< of Resolved: without a line
  uint64_t Functions = 0; ///< with a function and no line in the input
  uint64_t Lines = 0;     ///< of Functions: with a line now
  SymbolGap Gap = SymbolGap::None;
  /// `FILE: is a directory`: of BadFile and BadSymbols; else what is damaged in
  /// the debug information, although the frames have symbols.
  std::string Problem;
  SymbolFiles Files; ///< the files that were used
  std::string Note;  ///< why a file with another build-id was used

  uint64_t missing() const { return Frames - Resolved; }
};

struct SymbolizeStats {
  std::vector<BinarySymbolCounts> Binaries; ///< in the order of the trace
  JitCounts Jit;                            ///< code outside of all binaries
  std::string ServerFailure;                ///< empty: none

  /// The sum of a count over all binaries.
  uint64_t sum(uint64_t BinarySymbolCounts::*Count) const {
    uint64_t Sum = 0;
    for (const BinarySymbolCounts &B : Binaries)
      Sum += B.*Count;
    return Sum;
  }
};

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_SYMBOLREPORT_H
