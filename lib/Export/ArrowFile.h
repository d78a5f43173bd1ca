// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables as Arrow IPC files (Feather).
//
// https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format, metadata
// version 5, buffers compressed with zstd. Larger than Parquet, and quicker to
// read.

#ifndef MEMKIT_LIB_EXPORT_ARROWFILE_H
#define MEMKIT_LIB_EXPORT_ARROWFILE_H

#include "Tables/Table.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// As writeParquet(). Memory: one batch.
llvm::Error
writeArrowFile(llvm::raw_ostream &OS, const TypedTable &T,
               llvm::ArrayRef<std::pair<std::string, std::string>> Facts,
               llvm::function_ref<bool()> Failed);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_ARROWFILE_H
