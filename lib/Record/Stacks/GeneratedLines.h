// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lines of generated files stand for.

#ifndef MEMKIT_LIB_RECORD_GENERATEDLINES_H
#define MEMKIT_LIB_RECORD_GENERATEDLINES_H

#include "Wire/GeneratedRecords.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <vector>

namespace memkit {

class Recording;
class SharedProcess;

/// The files of Python that a compiler has generated, and the lines of the
/// program that each of their lines computes. Belongs to the recorder's thread.
class GeneratedLines {
public:
  GeneratedLines(SharedProcess &Shared, Recording &R, uint32_t Process)
      : Shared(Shared), R(R), Process(Process) {}

  /// False: the record is invalid. Records beyond MaxLines are left out.
  bool take(const wire::GeneratedLineRecord &Rec);

  bool isEmpty() const { return Files.empty(); }
  /// The number of a generated file, from 1; 0: another file.
  uint32_t fileOf(llvm::StringRef Path) const { return Numbers.lookup(Path); }

  struct GeneratedLine {
    std::vector<uint32_t> Frames; ///< of the trace, outermost first
    uint32_t Layers = 0;          ///< the record's text; 0: none
    uint32_t Text = 0;            ///< of Frames, until they are read
  };
  /// Of a line of a file in range, from 1; null: not known. An invalid text
  /// counts as a bad record, and its valid part is used.
  const GeneratedLine *find(uint32_t File, uint64_t Line);

private:
  /// Bound what a program may add to the trace.
  static constexpr size_t MaxLines = 1 << 20, MaxFrames = 256;
  bool addFrame(llvm::StringRef Row, std::vector<uint32_t> &To);
  bool readFrames(GeneratedLine &Of);

  SharedProcess &Shared;
  Recording &R;
  uint32_t Process;
  llvm::StringMap<uint32_t> Numbers; ///< by path
  /// By number less 1: its lines by their first line.
  std::vector<std::map<uint32_t, GeneratedLine>> Files;
  size_t NumLines = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_GENERATEDLINES_H
