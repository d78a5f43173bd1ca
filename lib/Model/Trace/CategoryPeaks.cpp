// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensors at the peak of each heap, from the categories of single blocks.

#include "CategoryPeaks.h"
#include "memkit/Model/Replay.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>
#include <tuple>

using namespace llvm;

namespace memkit {

/// By scope path: the name of its innermost layer; 0: none.
static Expected<std::vector<uint32_t>> layersOfPaths(TraceReader &R) {
  std::vector<ScopeRecord> Scopes(1);
  std::vector<uint32_t> Out(1);
  DictionaryOutline D;
  uint64_t NumStrings = 0;
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind != SectionKind::Dictionary)
      continue;
    if (Error E = R.readNames(B, D))
      return std::move(E);
    NumStrings += D.Counts.Strings;
    append_range(Scopes, D.Few.Scopes);
    for (const ScopePath &P : D.Few.ScopePaths) {
      if (P.Parent >= Out.size() || P.Scope >= Scopes.size())
        return makeTraceError(R.name(), B.Offset,
                              "a scope path of an undefined scope");
      const ScopeRecord &S = Scopes[P.Scope];
      if (S.Name > NumStrings)
        return makeTraceError(R.name(), B.Offset,
                              "a scope with an undefined name");
      Out.push_back(S.Kind == ScopeKind::Layer ? S.Name : Out[P.Parent]);
    }
  }
  return Out;
}

namespace {
/// Rows of a replay in place of stacks: a category and a layer. Row 0 has the
/// blocks without a category.
class CategoryKeys {
public:
  uint32_t key(TensorCategory K, uint32_t Layer) {
    // No layer makes these.
    if (K == TensorCategory::Parameter || K == TensorCategory::OptimizerState)
      Layer = 0;
    auto [At, New] = Known.try_emplace({uint32_t(K), Layer}, Rows.size());
    if (New) {
      CategoryStats &Row = Rows.emplace_back();
      Row.Category = K;
      Row.Layer = Layer;
    }
    return At->second;
  }
  const CategoryStats &row(uint32_t Key) const { return Rows[Key]; }

private:
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Known;
  std::vector<CategoryStats> Rows{CategoryStats()};
};
} // namespace

/// Adds up Rows at the peaks of their heaps.
static std::vector<CategoryStats> sumsOf(const LiveStats &Stats,
                                         const CategoryKeys &Keys) {
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, CategoryStats> Sums;
  std::set<uint32_t> OfTensors; // heaps
  auto Take = [&](const Summary &S) {
    for (const StackStatsRows &Rows : S.Stacks)
      for (const StackStats &Row : Rows.Rows) {
        if (Row.Key)
          OfTensors.insert(Row.Heap);
        auto [At, New] = Sums.try_emplace({Row.Heap, Rows.Process, Row.Key},
                                          Keys.row(Row.Key));
        CategoryStats &To = At->second;
        To.Heap = Row.Heap;
        To.Process = Rows.Process;
        To.Blocks += Row.HeapPeakBlocks;
        To.Bytes += Row.HeapPeakBytes;
      }
    return Error::success();
  };
  cantFail(Stats.summary(1, 0, Take));
  std::vector<CategoryStats> Out;
  for (const auto &[Key, Sum] : Sums)
    if (Sum.Blocks && OfTensors.count(Sum.Heap))
      Out.push_back(Sum);
  return Out;
}

Expected<CategoryPeaks> findCategoryPeaks(TraceReader &R,
                                          const BlockCategoryTable &Table) {
  Expected<std::vector<uint32_t>> Layers = layersOfPaths(R);
  if (!Layers)
    return Layers.takeError();
  CategoryPeaks Out;
  BlockCategoryCursor Cursor(Table);
  CategoryKeys Keys;
  ReplayOptions Options;
  Options.KeyOf = [&](const Allocation &B) -> uint32_t {
    std::optional<TensorCategory> K = Cursor.find(B.Process, B.Block);
    if (!K)
      return 0;
    ++Out.Blocks;
    return Keys.key(*K,
                    B.ScopePath < Layers->size() ? (*Layers)[B.ScopePath] : 0);
  };
  Expected<std::unique_ptr<Replay>> Run = Replay::create(R, Options);
  if (!Run)
    return Run.takeError();
  if (Error E = (*Run)->run())
    return std::move(E);
  Out.Rows = sumsOf((*Run)->stats(), Keys);
  return Out;
}

Expected<std::vector<CategoryStats>> categoriesAtPeaks(TraceReader &R) {
  if (!hasBlockCategories(R))
    return std::vector<CategoryStats>();
  auto Table = BlockCategoryTable::read(R);
  if (!Table)
    return Table.takeError();
  Expected<CategoryPeaks> Found = findCategoryPeaks(R, **Table);
  if (!Found)
    return Found.takeError();
  return std::move(Found->Rows);
}

} // namespace memkit
