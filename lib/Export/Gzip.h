// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compression as gzip.

#ifndef MEMKIT_LIB_EXPORT_GZIP_H
#define MEMKIT_LIB_EXPORT_GZIP_H

#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// Writes Bytes compressed (RFC 1952), or uncompressed if LLVM was built
/// without zlib.
void writeGzip(llvm::raw_ostream &OS, llvm::StringRef Bytes);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_GZIP_H
