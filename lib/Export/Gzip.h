// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes as gzip has them.

#ifndef MEMKIT_LIB_EXPORT_GZIP_H
#define MEMKIT_LIB_EXPORT_GZIP_H

#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// Writes Bytes compressed (RFC 1952), or as they are where LLVM was built
/// without zlib.
void writeGzip(llvm::raw_ostream &OS, llvm::StringRef Bytes);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_GZIP_H
