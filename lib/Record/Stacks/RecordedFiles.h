// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of the binaries that a program has loaded.

#ifndef MEMKIT_LIB_RECORD_RECORDEDFILES_H
#define MEMKIT_LIB_RECORD_RECORDEDFILES_H

#include "Symbolize/SymbolFiles.h"
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

/// Finds the files with the symbols of each binary of a recording, once, at the
/// first question. Keeps binaries open that only the process can see, at most
/// MaxOpen of them: the paths of such binaries end with the process. One thread
/// at a time.
class RecordedFiles {
public:
  RecordedFiles() = default;
  RecordedFiles(const RecordedFiles &) = delete;
  ~RecordedFiles();

  /// Adds the next binary, from 0: one of Places. The first file with BuildId
  /// serves, or with an empty BuildId the first ELF file.
  void add(std::vector<uint8_t> BuildId, std::vector<std::string> Places);
  /// The files of Binary; empty if there are none.
  const SymbolFiles &of(uint32_t Binary);

private:
  struct RecordedBinary {
    std::vector<uint8_t> BuildId;
    std::vector<std::string> Places; ///< empty: Files is known
    SymbolFiles Files;
  };
  static constexpr size_t MaxOpen = 128;
  SymbolFiles find(const RecordedBinary &B);
  std::string keepOpen(const std::string &Path);

  SymbolFinder Finder{SymbolPlaces()};
  std::vector<RecordedBinary> Binaries;
  std::vector<int> Open;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RECORDEDFILES_H
