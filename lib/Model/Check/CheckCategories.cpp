// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares categories of blocks with the events and with the summary.

#include "CheckSummary.h"
#include "Model/Trace/CategoryPeaks.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <tuple>

using namespace memkit;
using llvm::ArrayRef;
using llvm::Error;
using llvm::formatv;

namespace {
struct CategorySumAtPeak {
  uint64_t Blocks = 0, Bytes = 0;
  bool operator==(const CategorySumAtPeak &) const = default;
};
/// By heap, process and category.
using CategorySumsAtPeak =
    std::map<std::tuple<uint32_t, uint32_t, TensorCategory>, CategorySumAtPeak>;
} // namespace

static Error checkIds(TraceReader &R, const IdLimits &Limits) {
  BlockCategories C;
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind != SectionKind::BlockCategories)
      continue;
    if (Error E = R.read(B, C))
      return E;
    if (std::string P = Limits.check(C); !P.empty())
      return makeTraceError(R.name(), B.Offset, P);
  }
  return Error::success();
}

static CategorySumsAtPeak totalsOf(ArrayRef<CategoryStats> Rows) {
  CategorySumsAtPeak Out;
  for (const CategoryStats &K : Rows)
    if (!K.Oom && K.Blocks) {
      CategorySumAtPeak &To = Out[{K.Heap, K.Process, K.Category}];
      To.Blocks += K.Blocks;
      To.Bytes += K.Bytes;
    }
  return Out;
}

static void compare(const CategorySumsAtPeak &Stored,
                    const CategorySumsAtPeak &Is, CheckResult &Out) {
  CategorySumsAtPeak All = Stored;
  All.insert(Is.begin(), Is.end());
  auto In = [](const CategorySumsAtPeak &Of, const auto &Key) {
    auto It = Of.find(Key);
    return It == Of.end() ? CategorySumAtPeak() : It->second;
  };
  for (const auto &[Key, Total] : All) {
    CategorySumAtPeak A = In(Stored, Key), B = In(Is, Key);
    auto [Heap, Process, Category] = Key;
    if (A != B)
      Out.add(formatv("summary, process {0}, heap {1}: {2} blocks of {3} bytes "
                      "of category {4} at the peak, the blocks' categories "
                      "give {5} of {6}",
                      Process, Heap, A.Blocks, A.Bytes, categoryText(Category),
                      B.Blocks, B.Bytes));
  }
}

Error memkit::compareBlockCategories(TraceReader &R, const IdLimits &Limits,
                                     const Summary *Stored, CheckResult &Out) {
  if (Error E = checkIds(R, Limits))
    return E;
  auto Table = BlockCategoryTable::read(R);
  if (!Table)
    return Table.takeError();
  auto Is = findCategoryPeaks(R, **Table);
  if (!Is)
    return Is.takeError();
  Out.Categories = (*Table)->size();
  // A trace that was cut off has categories of blocks after its last event.
  if (Stored && Is->Blocks != (*Table)->size())
    Out.add(formatv("{0} blocks have a category, the events have {1} of them",
                    (*Table)->size(), Is->Blocks));
  if (Stored)
    compare(totalsOf(Stored->Categories), totalsOf(Is->Rows), Out);
  return Error::success();
}
