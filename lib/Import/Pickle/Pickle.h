// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads Python's pickles of plain values, and runs nothing.
//
// Protocols 2 to 5 of Python's pickler and of torch::jit::Pickler: numbers,
// texts, lists, tuples and dicts. Opcodes that name or call code are errors.
//
// A pickle may have gigabytes, so the reader builds no tree of a whole file:
// rules say which lists stream, and a consumer gets the elements of such a list
// while the reader goes on. Values that the pickle uses again later (the memo)
// stay, once.

#ifndef MEMKIT_LIB_IMPORT_PICKLE_H
#define MEMKIT_LIB_IMPORT_PICKLE_H

#include "Import/Pickle/PickleValue.h"
#include "PickleStore.h"
#include "memkit/Support/ProgressCallback.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace memkit {

class ImportFile;

/// Reads File twice: for the memo, then for the values. Names: texts that the
/// consumer compares by index, at most 32 bytes each. Errors: TraceError, or of
/// the consumer. Memory: the largest elements, and what the pickle uses again.
llvm::Error readPickle(const ImportFile &File,
                       llvm::ArrayRef<llvm::StringLiteral> Names,
                       llvm::ArrayRef<PickleRule> Rules, PickleConsumer &To,
                       const ProgressCallback &OnProgress = {});

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_PICKLE_H
