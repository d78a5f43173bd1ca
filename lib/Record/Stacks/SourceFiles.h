// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads lines of the program's source files.
//
// A program chooses its file names, so a file is read with care: only a regular
// file with the suffix of a source file, at most MaxFileBytes, unchanged since
// the process started, opened as the process sees the path, and never waited
// for. Files of the system and of installed packages are not read.

#ifndef MEMKIT_LIB_RECORD_SOURCEFILES_H
#define MEMKIT_LIB_RECORD_SOURCEFILES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace memkit {

/// Whether the file may be read for its lines, by its path.
bool mayHaveSource(llvm::StringRef Path);
/// The text to keep of a line: without blanks behind, and in front unless
/// KeepsIndent, at most 200 bytes of UTF-8; empty if the line is not text or
/// looks like a credential.
std::string keptSource(llvm::StringRef Line, bool KeepsIndent = false);

/// How a process sees files. Holds a descriptor of the process's root if the
/// process sees other files than the recorder.
class SourceRoot {
public:
  /// StartNs: of CLOCK_REALTIME; a file that changed later is not read.
  SourceRoot(pid_t Pid, uint64_t StartNs);
  SourceRoot(SourceRoot &&Other);
  SourceRoot &operator=(SourceRoot &&) = delete;
  ~SourceRoot();

  /// The bytes of a file; nullopt if the file must not or cannot be read.
  std::optional<std::string> read(const std::string &Path) const;

private:
  int open(const char *Path) const;

  int Root; ///< -1: the recorder's root
  uint64_t StartNs;
};

/// Finds the text of lines, each once. Belongs to one thread.
class SourceFiles {
public:
  void addProcess(uint32_t Process, SourceRoot Root);
  /// From now on a line comes with the function around it, as far as the
  /// indentation tells, and with the blanks in front.
  void keepFunctions() { Functions = true; }
  struct KeptLine {
    uint32_t Line;
    std::string Text; ///< never empty
  };
  /// The text of a line for a trace, first, and those around it that are
  /// wanted; none if there is none, if the line was asked before, or if the
  /// limits are reached.
  std::vector<KeptLine> take(uint32_t Process, llvm::StringRef Path,
                             uint32_t Line);

  static constexpr uint64_t MaxFileBytes = 4 << 20;
  static constexpr uint32_t MaxContext = 80; ///< lines before, and behind
  static constexpr size_t MaxLines = 16384;
  static constexpr size_t MaxBytes = 1 << 20;

private:
  struct OpenFile {
    uint32_t Process;
    std::string Path;
    std::string Bytes;
    std::vector<uint32_t> Starts; ///< of lines

    /// From 1.
    llvm::StringRef line(uint32_t Number) const;
  };
  static std::pair<uint32_t, uint32_t> functionAround(const OpenFile &F,
                                                      uint32_t Line);
  const OpenFile *file(uint32_t Process, llvm::StringRef Path);

  llvm::DenseMap<uint32_t, SourceRoot> Roots;
  std::deque<OpenFile> Files; ///< the last read files
  llvm::StringSet<> Asked;    ///< path and line
  size_t Lines = 0, Bytes = 0;
  bool Functions = false;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SOURCEFILES_H
