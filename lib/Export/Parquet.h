// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables as Parquet files.
//
// https://parquet.apache.org/docs/file-format/, version 1: pages of values as
// they are (PLAIN) or of numbers of a dictionary, compressed with zstd. DuckDB,
// pandas, polars, Spark and ClickHouse read them.

#ifndef MEMKIT_LIB_EXPORT_PARQUET_H
#define MEMKIT_LIB_EXPORT_PARQUET_H

#include "Tables/Table.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// Writes all rows of T. Facts: names and values for the file's own metadata.
/// Memory: a million rows, compressed. Stops when Failed reports that OS takes
/// no more. Errors: of reading T.
llvm::Error
writeParquet(llvm::raw_ostream &OS, const TypedTable &T,
             llvm::ArrayRef<std::pair<std::string, std::string>> Facts,
             llvm::function_ref<bool()> Failed);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_PARQUET_H
