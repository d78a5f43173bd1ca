// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors by category, for views.

#ifndef MEMKIT_LIB_TRACETEXT_CATEGORYSUMS_H
#define MEMKIT_LIB_TRACETEXT_CATEGORYSUMS_H

#include "memkit/Trace/SummaryStats.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// The text of a string id.
using StringOf = llvm::function_ref<llvm::StringRef(uint32_t)>;

/// `optimizer state`; in JSON and CSV `optimizer_state`.
std::string categoryName(TensorCategory K);
std::string categoryKey(TensorCategory K);

/// Prints a table of Categories of one heap, with the share of each category
/// and its largest layers.
void printCategoryTable(llvm::raw_ostream &OS,
                        llvm::ArrayRef<CategorySum> Categories, StringOf String,
                        unsigned Width);
/// Writes `category`, `bytes`, `blocks` into the object open in J; with String
/// also `layers`.
void writeCategory(llvm::json::OStream &J, const CategorySum &K);
void writeCategory(llvm::json::OStream &J, const CategorySum &K,
                   StringOf String);

/// `44.7 %` of Total; `<0.1 %` for a smaller share that is not 0.
std::string formatShare(uint64_t Bytes, uint64_t Total);

} // namespace memkit

#endif // MEMKIT_LIB_TRACETEXT_CATEGORYSUMS_H
