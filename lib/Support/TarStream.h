// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes tar archives to a stream.

#ifndef MEMKIT_LIB_SUPPORT_TARSTREAM_H
#define MEMKIT_LIB_SUPPORT_TARSTREAM_H

#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// An archive of files in the format ustar of POSIX.1-2001. LLVM's TarWriter
/// writes to a file of its own only.
class TarStream {
public:
  /// Folder: before each name. OS must outlive the object.
  TarStream(llvm::raw_ostream &OS, llvm::StringRef Folder)
      : OS(OS), Folder(Folder) {}

  /// Adds a file. Name: with the folder at most 100 bytes. TimeS: seconds since
  /// 1970.
  void add(llvm::StringRef Name, llvm::StringRef Bytes, uint64_t TimeS);
  /// Ends the archive.
  void finish();

private:
  llvm::raw_ostream &OS;
  std::string Folder;
};

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_TARSTREAM_H
