// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answers in a page that is a file.

#ifndef MEMKIT_LIB_VIEW_FILEDATA_H
#define MEMKIT_LIB_VIEW_FILEDATA_H

#include "ProfileJson.h"

namespace memkit {

/// An answer with the request of the page that the answer is for.
struct HeldAnswer {
  std::string Request, Json;
};

/// Compressed answers up to a number of bytes. The page unpacks a part when the
/// page needs an answer of the part. The graphs of all parts share their names.
class FileData {
public:
  explicit FileData(uint64_t MaxBytes) : MaxBytes(MaxBytes) {}

  /// The names of graphs in answers that the next add() takes.
  GraphNames &names() { return Names; }
  /// Adds answers as a part, with their new names. False: the part does not
  /// fit, and neither answers nor names are kept.
  bool add(llvm::ArrayRef<HeldAnswer> Answers);
  /// The bytes that add() would take.
  uint64_t sizeOf(llvm::ArrayRef<HeldAnswer> Answers) const {
    return pack(Answers).bytes();
  }
  /// Drops the names that no add() has taken.
  void dropNames() { Names.truncate(KeptNames); }
  /// Keeps bytes free, for a part that comes last; 0 frees the bytes.
  void reserve(uint64_t Bytes) { Reserved = Bytes; }
  /// Whether an answer to the request was added.
  bool holds(llvm::StringRef Request) const {
    return Requests.contains(Request);
  }

  /// The bytes of text().
  uint64_t bytes() const;
  /// As bytes(), with those that are reserved.
  uint64_t used() const { return bytes() + Reserved; }
  uint64_t left() const { return MaxBytes - std::min(MaxBytes, used()); }
  /// The data as JSON without `<`.
  std::string text() const;

private:
  struct PackedPart {
    std::string Names, Answers; ///< Names: empty if there are no new ones
    uint64_t bytes() const { return Names.size() + Answers.size(); }
  };
  PackedPart pack(llvm::ArrayRef<HeldAnswer> Answers) const;

  uint64_t MaxBytes, Reserved = 0;
  GraphNames Names;
  size_t KeptNames = 0;
  std::string NamesText, PartsText;
  llvm::StringMap<bool> Requests;
};

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_FILEDATA_H
