//===- LeakPrinter.cpp - A report of leaks as text and JSON -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeakPrinter.h"
#include "memkit/Export/StackText.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/Table.h"
#include "memkit/Support/ToolMain.h"
#include "memkit/Trace/Sampling.h"
#include "memkit/TraceText/EnumNames.h"

using namespace llvm;

namespace memkit {

static std::string plural(uint64_t Count, StringRef What) {
  return formatCount(Count) + " " + What.str() + (Count == 1 ? "" : "s");
}

/// The bytes of a finding or a sum of such, with their error when they are an
/// estimate.
template <class T> static std::string bytesText(const T &Of) {
  return formatEstimate(Of.Bytes, standardError(Of.Variance));
}

template <class T> static void writeBytes(json::OStream &J, const T &Of) {
  J.attribute("bytes", Of.Bytes);
  if (Of.Variance)
    J.attribute("stderr_bytes", standardError(Of.Variance));
}

static ArrayRef<Leak> firstLeaks(const LeakReport &R, uint64_t Most) {
  ArrayRef<Leak> All = R.Leaks;
  return Most ? All.take_front(Most) : All;
}

static void printHeaps(raw_ostream &OS, const Trace &T, const LeakReport &R,
                       unsigned Width) {
  using Align = Table::Align;
  Table Heaps({{"heap", Align::Left, true},
               {"live at end", Align::Right},
               {"blocks", Align::Right},
               {"findings", Align::Right}});
  for (const HeapLeaks &H : R.Heaps)
    Heaps.add({T.heapName(H.Heap).str(), bytesText(H), formatCount(H.Blocks),
               formatCount(H.Findings)});
  Heaps.print(OS, Width);
}

void printLeaks(raw_ostream &OS, const Trace &T, const LeakReport &R,
                uint64_t Most) {
  unsigned Width = outputWidth();
  if (uint64_t Lost = T.lostEvents())
    OS << plural(Lost, "event") << " lost: leaks may be false\n";
  if (R.Leaks.empty()) {
    OS << "no leaks\n";
  } else {
    OS << bytesText(R) << " in " << plural(R.Blocks, "block")
       << " live at the end, from " << plural(R.Leaks.size(), "stack")
       << "\n\n";
    printHeaps(OS, T, R, Width);
  }
  ArrayRef<Leak> Shown = firstLeaks(R, Most);
  for (const Leak &L : Shown) {
    OS << '\n'
       << bytesText(L) << " in " << plural(L.Blocks, "block") << " of "
       << T.heapName(L.Heap) << '\n';
    printStack(OS, T, L.Stack, 4, Width, isVerbose());
  }
  if (size_t Left = R.Leaks.size() - Shown.size())
    OS << "\n" << plural(Left, "smaller finding") << "; --top=0 shows all\n";
  if (const SuppressionUse &U = R.ByDefault; U.Findings)
    OS << "\nkept by design: " << bytesText(U) << " in "
       << plural(U.Blocks, "block") << ", " << plural(U.Findings, "finding")
       << "; --no-default-suppressions shows them\n";
  for (const SuppressionUse &U : R.Suppressed)
    if (U.Findings)
      OS << "\nsuppressed by leak:" << U.Pattern << ": " << bytesText(U)
         << " in " << plural(U.Blocks, "block") << ", "
         << plural(U.Findings, "finding") << '\n';
}

static void writeLeak(json::OStream &J, const Trace &T, const Leak &L) {
  J.object([&] {
    J.attribute("kind", "exit");
    J.attribute("heap", jsonText(T.heapName(L.Heap)));
    writeBytes(J, L);
    J.attribute("blocks", L.Blocks);
    J.attribute("bytes_per_step", nullptr);
    J.attribute("p_value", nullptr);
    J.attribute("layer", nullptr);
    J.attributeBegin("stack");
    writeStack(J, T, L.Stack);
    J.attributeEnd();
  });
}

static void writeSuppression(json::OStream &J, const SuppressionUse &U) {
  J.object([&] {
    J.attribute("pattern", jsonText(U.Pattern));
    writeBytes(J, U);
    J.attribute("blocks", U.Blocks);
    J.attribute("findings", U.Findings);
  });
}

static void writeHeap(json::OStream &J, const Trace &T, const HeapLeaks &H) {
  J.object([&] {
    J.attribute("name", jsonText(T.heapName(H.Heap)));
    writeBytes(J, H);
    J.attribute("blocks", H.Blocks);
    J.attribute("findings", H.Findings);
  });
}

void writeLeakJson(raw_ostream &OS, const Trace &T, const LeakReport &R,
                   uint64_t Most) {
  json::OStream J(OS, /*IndentSize=*/1);
  J.object([&] {
    J.attributeArray("findings", [&] {
      for (const Leak &L : firstLeaks(R, Most))
        writeLeak(J, T, L);
    });
    J.attributeArray("suppressed", [&] {
      for (const SuppressionUse &U : R.Suppressed)
        writeSuppression(J, U);
    });
    J.attributeArray("heaps", [&] {
      for (const HeapLeaks &H : R.Heaps)
        writeHeap(J, T, H);
    });
    writeBytes(J, R);
    J.attribute("blocks", R.Blocks);
    J.attribute("lost", T.lostEvents());
    J.attributeObject("losses", [&] {
      std::vector<uint64_t> Counts = T.losses();
      for (size_t K = 0; K != Counts.size(); ++K)
        J.attribute(enumName(static_cast<LossKind>(K)), Counts[K]);
    });
    J.attributeObject("kept_by_design", [&] {
      writeBytes(J, R.ByDefault);
      J.attribute("blocks", R.ByDefault.Blocks);
      J.attribute("findings", R.ByDefault.Findings);
    });
  });
  OS << '\n';
}

} // namespace memkit
