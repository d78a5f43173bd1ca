// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first answer in a page that is a file.

#ifndef MEMKIT_LIB_VIEW_FILESTART_H
#define MEMKIT_LIB_VIEW_FILESTART_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

namespace memkit {

/// The most moments in a file.
inline constexpr size_t MaxFileMoments = 64;
/// The most memory spaces in a file: each has graphs of each moment.
inline constexpr size_t MaxFileSpaces = 16;

/// `start`: what a trace has, cut to what a file holds.
class FileStart {
public:
  /// Reads the answer to `start`. Errors: no JSON.
  llvm::Error read(llvm::StringRef Text);

  std::vector<std::string> Groups, Curves, Views; ///< of the trace
  /// With memory, the largest first; at most MaxFileSpaces.
  std::vector<uint64_t> Spaces;
  std::vector<uint64_t> Devices; ///< with a map, of these memory spaces
  uint64_t NumHeaps = 0;
  bool HasEvents = false;

  // What the file holds.
  std::vector<uint64_t> Moments;
  uint64_t PeakNodes = 0, MomentNodes = 0;  ///< limits of graphs
  std::vector<std::string> NoRoom, TooLong; ///< what is left out, and why

  /// The parameter of a grouping; empty: the usual one.
  std::string byText(llvm::StringRef By) const {
    return By == Groups.front() ? "" : ("by=" + By).str();
  }
  /// The bytes that text() may have beyond the answer that was read.
  uint64_t extraBytes() const;
  /// The answer for the file. Holds: whether a request's answer was added.
  std::string text(llvm::function_ref<bool(llvm::StringRef)> Holds);

private:
  std::vector<std::string> words(llvm::StringRef Key) const;
  bool hasView(llvm::StringRef View,
               llvm::function_ref<bool(llvm::StringRef)> Holds) const;
  llvm::json::Array sentences() const;

  llvm::json::Object Of;
  size_t NumSpaces = 0; ///< with memory, of the trace
};

/// The numbers of an array of a JSON object; none if there is no such array.
std::vector<uint64_t> numbersOf(llvm::StringRef Json, llvm::StringRef Key);
/// The texts of an array of an object within a JSON object; none if there is no
/// such array.
std::vector<std::string> textsOf(llvm::StringRef Json, llvm::StringRef Object,
                                 llvm::StringRef Key);

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_FILESTART_H
