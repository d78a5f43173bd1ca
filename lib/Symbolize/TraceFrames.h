// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frames of a trace, and what the trace knows of each.

#ifndef MEMKIT_LIB_SYMBOLIZE_TRACEFRAMES_H
#define MEMKIT_LIB_SYMBOLIZE_TRACEFRAMES_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

/// What a trace knows of a frame.
enum class FrameKnowledge : uint8_t {
  Nothing,
  Function, ///< its function, without a file or a line
  Line,
};

/// Collects from the dictionary of a trace the parts that symbols need. Ids in
/// the sections are not trusted.
class TraceFrames {
public:
  void add(const Dictionary &D);

  llvm::ArrayRef<Frame> frames() const { return Frames; }
  llvm::ArrayRef<Binary> binaries() const { return Binaries; }
  llvm::ArrayRef<Load> loads() const { return Loads; }
  llvm::ArrayRef<ProcessRecord> processes() const { return Processes; }
  /// Of the frame Id, from 1.
  FrameKnowledge knowledge(uint32_t Id) const { return Known[Id - 1]; }
  /// The binary of a native frame, from 1; 0: none, or no such binary.
  uint32_t binaryOf(const Frame &F) const;
  /// The text of a string; empty for an id that does not exist.
  llvm::StringRef string(uint32_t Id) const;
  /// The path of the binary Id, from 1, without ` (deleted)`.
  llvm::StringRef path(uint32_t Binary) const;
  /// Whether the binary Id is the program of a recorded process.
  bool isProgram(uint32_t Binary) const;

private:
  std::vector<std::string> Strings;
  std::vector<Binary> Binaries;
  std::vector<Load> Loads;
  std::vector<ProcessRecord> Processes;
  llvm::StringSet<> Programs; ///< paths
  std::vector<Frame> Frames;
  std::vector<FrameKnowledge> Known; ///< by frame - 1
  std::vector<bool> HasFile;         ///< by function - 1
};

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_TRACEFRAMES_H
