// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors at the peak, by kind.

#include "memkit/Support/CsvField.h"
#include "memkit/Support/Format.h"
#include "memkit/TraceText/KindSums.h"
#include "memkit/TraceText/TraceSummary.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

/// Calls F with the kinds of each heap.
static void forEachHeap(ArrayRef<KindSum> Kinds,
                        function_ref<void(ArrayRef<KindSum>)> F) {
  while (!Kinds.empty()) {
    ArrayRef<KindSum> Of = Kinds.take_while(
        [&](const KindSum &K) { return K.Heap == Kinds[0].Heap; });
    F(Of);
    Kinds = Kinds.drop_front(Of.size());
  }
}

static uint64_t bytesOf(ArrayRef<KindSum> Kinds, TensorKind Kind) {
  uint64_t Bytes = 0;
  for (const KindSum &K : Kinds)
    Bytes += K.Kind == Kind ? K.Bytes : 0;
  return Bytes;
}

std::vector<KindSum> TraceSummary::kinds() const {
  return sumKinds(Stats.Kinds, 0);
}

void memkit::printKinds(raw_ostream &OS, const TraceSummary &S,
                        unsigned Width) {
  std::vector<KindSum> Kinds = S.kinds();
  if (Kinds.empty())
    OS << "no tensors by kind: there were none, or the trace was not "
          "completed\n";
  bool First = true;
  forEachHeap(Kinds, [&](ArrayRef<KindSum> Of) {
    HeapStats T = S.heapStats(Of[0].Heap);
    OS << (First ? "" : "\n") << S.string(S.Heaps[Of[0].Heap - 1].Name) << ": "
       << formatSize(T.PeakBytes) << " at the peak, "
       << formatTime(T.PeakTimeNs) << "; "
       << formatShare(bytesOf(Of, TensorKind::Unknown), T.PeakBytes)
       << " of it unknown\n\n";
    First = false;
    printKindTable(OS, Of, [&](uint32_t Id) { return S.string(Id); }, Width);
  });
}

void memkit::printKindsCsv(raw_ostream &OS, const TraceSummary &S) {
  OS << "heap,kind,layer,blocks,bytes\n";
  for (const KindSum &K : S.kinds())
    for (const KindSum::Layer &L : K.Layers) {
      printField(OS, S.string(S.Heaps[K.Heap - 1].Name));
      OS << ',' << kindKey(K.Kind) << ',';
      printField(OS, S.string(L.Name));
      OS << ',' << L.Blocks << ',' << L.Bytes << '\n';
    }
}

void memkit::writeKindsJson(json::OStream &J, const TraceSummary &S,
                            bool WithLayers) {
  J.attributeArray("kinds", [&] {
    for (const KindSum &K : S.kinds())
      J.object([&] {
        J.attribute("heap", json::fixUTF8(S.string(S.Heaps[K.Heap - 1].Name)));
        if (WithLayers)
          writeKind(J, K, [&](uint32_t Id) { return S.string(Id); });
        else
          writeKind(J, K);
      });
  });
}

void memkit::printKindLines(raw_ostream &OS, const TraceSummary &S) {
  forEachHeap(S.kinds(), [&](ArrayRef<KindSum> Of) {
    uint64_t Peak = S.heapStats(Of[0].Heap).PeakBytes;
    OS << '\n' << S.string(S.Heaps[Of[0].Heap - 1].Name) << " at its peak: ";
    for (const KindSum &K : Of)
      OS << (&K == Of.begin() ? "" : ", ") << kindName(K.Kind) << ' '
         << formatShare(K.Bytes, Peak);
    OS << '\n';
  });
  uint64_t Failures = 0;
  for (const OomRecord &O : S.Stats.Ooms)
    Failures += 1 + O.Skipped;
  if (Failures)
    OS << "\nout of memory "
       << (Failures == 1 ? "once" : formatCount(Failures) + " times")
       << "; memdump --oom shows what lived then\n";
}
