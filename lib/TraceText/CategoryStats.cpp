// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors at the peak, by category.

#include "CategorySums.h"
#include "ReportPrinters.h"
#include "Support/CsvField.h"
#include "Support/Json.h"
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

void memkit::printCategories(raw_ostream &OS, const Trace &T,
                             ArrayRef<CategorySum> Categories, unsigned Width) {
  if (Categories.empty())
    OS << "no tensors by category: there were none, or the trace was not "
          "completed\n";
  bool First = true;
  forEachHeap(Categories, [&](ArrayRef<CategorySum> Of) {
    const HeapStats &H = T.heapStats(Of[0].Heap);
    OS << (First ? "" : "\n") << T.heapName(Of[0].Heap) << ": "
       << formatSize(H.PeakBytes) << " at the peak, "
       << formatTime(H.PeakTimeNs) << "; "
       << formatShare(bytesOf(Of, TensorCategory::Unknown), H.PeakBytes)
       << " of it unknown\n\n";
    First = false;
    printCategoryTable(
        OS, Of, [&](uint32_t Id) { return T.string(Id); }, Width);
  });
}

void memkit::printCategoriesCsv(raw_ostream &OS, const Trace &T,
                                ArrayRef<CategorySum> Categories) {
  OS << "heap,category,layer,blocks,bytes\n";
  for (const CategorySum &K : Categories)
    for (const CategorySum::Layer &L : K.Layers) {
      printField(OS, T.heapName(K.Heap));
      OS << ',' << categoryKey(K.Category) << ',';
      printField(OS, T.string(L.Name));
      OS << ',' << L.Blocks << ',' << L.Bytes << '\n';
    }
}

void memkit::writeCategoriesJson(json::OStream &J, const Trace &T,
                                 ArrayRef<CategorySum> Categories,
                                 bool WithLayers) {
  J.attributeArray("categories", [&] {
    for (const CategorySum &K : Categories)
      J.object([&] {
        J.attribute("heap", jsonText(T.heapName(K.Heap)));
        if (WithLayers)
          writeCategory(J, K, [&](uint32_t Id) { return T.string(Id); });
        else
          writeCategory(J, K);
      });
  });
}

void memkit::printCategoryLines(raw_ostream &OS, const Trace &T,
                                ArrayRef<CategorySum> Categories) {
  forEachHeap(Categories, [&](ArrayRef<CategorySum> Of) {
    uint64_t Peak = T.heapStats(Of[0].Heap).PeakBytes;
    OS << '\n' << T.heapName(Of[0].Heap) << " at its peak: ";
    for (const CategorySum &K : Of)
      OS << (&K == Of.begin() ? "" : ", ") << categoryName(K.Category) << ' '
         << formatShare(K.Bytes, Peak);
    OS << '\n';
  });
}
