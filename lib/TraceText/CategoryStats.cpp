// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors at the peak, by category.

#include "CategorySums.h"
#include "Support/CsvField.h"
#include "TraceSummary.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

/// Calls F with the categories of each heap.
static void forEachHeap(ArrayRef<CategorySum> Categories,
                        function_ref<void(ArrayRef<CategorySum>)> F) {
  while (!Categories.empty()) {
    ArrayRef<CategorySum> Of = Categories.take_while(
        [&](const CategorySum &K) { return K.Heap == Categories[0].Heap; });
    F(Of);
    Categories = Categories.drop_front(Of.size());
  }
}

static uint64_t bytesOf(ArrayRef<CategorySum> Categories,
                        TensorCategory Category) {
  uint64_t Bytes = 0;
  for (const CategorySum &K : Categories)
    Bytes += K.Category == Category ? K.Bytes : 0;
  return Bytes;
}

std::vector<CategorySum> TraceSummary::categories() const {
  return sumCategories(Stats.Categories, 0);
}

void memkit::printCategories(raw_ostream &OS, const TraceSummary &S,
                             unsigned Width) {
  std::vector<CategorySum> Categories = S.categories();
  if (Categories.empty())
    OS << "no tensors by category: there were none, or the trace was not "
          "completed\n";
  bool First = true;
  forEachHeap(Categories, [&](ArrayRef<CategorySum> Of) {
    HeapStats T = S.heapStats(Of[0].Heap);
    OS << (First ? "" : "\n") << S.string(S.Heaps[Of[0].Heap - 1].Name) << ": "
       << formatSize(T.PeakBytes) << " at the peak, "
       << formatTime(T.PeakTimeNs) << "; "
       << formatShare(bytesOf(Of, TensorCategory::Unknown), T.PeakBytes)
       << " of it unknown\n\n";
    First = false;
    printCategoryTable(
        OS, Of, [&](uint32_t Id) { return S.string(Id); }, Width);
  });
}

void memkit::printCategoriesCsv(raw_ostream &OS, const TraceSummary &S) {
  OS << "heap,category,layer,blocks,bytes\n";
  for (const CategorySum &K : S.categories())
    for (const CategorySum::Layer &L : K.Layers) {
      printField(OS, S.string(S.Heaps[K.Heap - 1].Name));
      OS << ',' << categoryKey(K.Category) << ',';
      printField(OS, S.string(L.Name));
      OS << ',' << L.Blocks << ',' << L.Bytes << '\n';
    }
}

void memkit::writeCategoriesJson(json::OStream &J, const TraceSummary &S,
                                 bool WithLayers) {
  J.attributeArray("categories", [&] {
    for (const CategorySum &K : S.categories())
      J.object([&] {
        J.attribute("heap", json::fixUTF8(S.string(S.Heaps[K.Heap - 1].Name)));
        if (WithLayers)
          writeCategory(J, K, [&](uint32_t Id) { return S.string(Id); });
        else
          writeCategory(J, K);
      });
  });
}

void memkit::printCategoryLines(raw_ostream &OS, const TraceSummary &S,
                                StringRef OomHint) {
  forEachHeap(S.categories(), [&](ArrayRef<CategorySum> Of) {
    uint64_t Peak = S.heapStats(Of[0].Heap).PeakBytes;
    OS << '\n' << S.string(S.Heaps[Of[0].Heap - 1].Name) << " at its peak: ";
    for (const CategorySum &K : Of)
      OS << (&K == Of.begin() ? "" : ", ") << categoryName(K.Category) << ' '
         << formatShare(K.Bytes, Peak);
    OS << '\n';
  });
  uint64_t Failures = 0;
  for (const OomRecord &O : S.Stats.Ooms)
    Failures += 1 + O.Skipped;
  if (Failures)
    OS << "\nout of memory "
       << (Failures == 1 ? "once" : formatCount(Failures) + " times") << OomHint
       << '\n';
}
