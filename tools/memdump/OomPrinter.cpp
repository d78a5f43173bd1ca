// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints out-of-memory events.

#include "OomPrinter.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Export/StackText.h"
#include "Support/Table.h"
#include "TraceText/CategorySums.h"
#include "memkit/Model/Query.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printHeaps(raw_ostream &OS, const Trace &T, const OomReport &M,
                       unsigned Width) {
  using Side = Table::Side;
  Table Heaps({{"heap", Side::Left, true},
               {"live", Side::Right},
               {"blocks", Side::Right},
               {"reserved", Side::Right}});
  for (const OomHeap &H : M.Heaps)
    Heaps.add({T.heapName(H.Heap).str(), formatSize(H.LiveBytes),
               formatCount(H.LiveBlocks),
               H.ReservedKnown ? formatSize(H.ReservedBytes) : ""});
  Heaps.print(OS, Width);
}

/// Whether the frame is a module call in PyTorch's own code.
static bool isModuleCall(const ShownFrame &F) {
  return F.Function.ends_with("_call_impl") && F.File.ends_with("module.py");
}

/// Prints the Python lines of a stack that has some, else all frames.
static void printLines(raw_ostream &OS, const Trace &T, uint32_t Stack,
                       unsigned Width) {
  std::vector<ShownFrame> Frames = T.shownStack(Stack);
  if (isVerbose() ||
      none_of(Frames, [](const ShownFrame &F) { return F.IsPython; }))
    return printStack(OS, T, Stack, 4, Width, isVerbose());
  for (const ShownFrame &F : Frames)
    if (F.IsPython && !isModuleCall(F))
      OS << "    " << frameText(F, 0) << '\n';
}

static std::string countedBlocks(uint64_t Blocks) {
  return formatCount(Blocks) + (Blocks == 1 ? " block" : " blocks");
}

static void printLargest(raw_ostream &OS, const Trace &T, const OomReport &M,
                         unsigned Width) {
  constexpr size_t Max = 5;
  for (const CategoryStats &K : ArrayRef(M.Tensors).take_front(Max)) {
    OS << '\n'
       << formatSize(K.Bytes) << " in " << countedBlocks(K.Blocks) << ": "
       << categoryName(K.Category);
    if (K.Layer)
      OS << " of " << T.string(K.Layer);
    OS << (K.Stack ? "\n" : ", of several stacks\n");
    if (K.Stack)
      printLines(OS, T, K.Stack, Width);
  }
}

static void printTimePoint(raw_ostream &OS, const Trace &T, const OomReport &M,
                           unsigned Width) {
  const OomRecord &O = M.What;
  OS << T.heapName(O.Heap) << " could not allocate " << formatSize(O.Requested)
     << " at " << formatTime(O.TimeNs) << " for " << T.processName(O.Process);
  if (O.Skipped)
    OS << ", and failed " << formatCount(O.Skipped)
       << (O.Skipped == 1 ? " time" : " times") << " shortly before";
  OS << '\n';
  if (O.ScopePath)
    OS << "in " << T.scopePathText(O.ScopePath) << '\n';
  printLines(OS, T, O.Stack, Width);
  if (!M.Heaps.empty()) {
    OS << '\n';
    printHeaps(OS, T, M, Width);
  }
  if (M.Tensors.empty())
    return;
  OS << "\nlive in " << T.heapName(O.Heap) << " of " << T.processName(O.Process)
     << ":\n\n";
  printCategoryTable(
      OS, sumCategories(M.Tensors, O.Number),
      [&](uint32_t Id) { return T.string(Id); }, Width);
  printLargest(OS, T, M, Width);
}

void memkit::printOoms(raw_ostream &OS, const Trace &T) {
  std::vector<OomReport> TimePoints = queryOoms(T);
  if (TimePoints.empty())
    OS << (T.isComplete() ? "no allocation failed\n"
                          : "no allocation failed, as far as the trace goes: "
                            "the trace is not complete\n");
  unsigned Width = outputWidth();
  for (const OomReport &M : TimePoints) {
    if (&M != &TimePoints.front())
      OS << "\n\n";
    printTimePoint(OS, T, M, Width);
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeNow(json::OStream &J, const Trace &T, const OomReport &M) {
  const OomRecord &O = M.What;
  J.attribute("heap", jsonText(T.heapName(O.Heap)));
  J.attribute("process", O.Process);
  J.attribute("time_ns", O.TimeNs);
  J.attribute("requested_bytes", O.Requested);
  J.attribute("skipped", O.Skipped);
  J.attribute("scope_path", jsonTextOrNull(T.scopePathText(O.ScopePath)));
  J.attributeBegin("stack");
  writeStack(J, T, O.Stack);
  J.attributeEnd();
  J.attributeArray("heaps", [&] {
    for (const OomHeap &H : M.Heaps)
      J.object([&] {
        J.attribute("name", jsonText(T.heapName(H.Heap)));
        J.attribute("live_bytes", H.LiveBytes);
        J.attribute("live_blocks", H.LiveBlocks);
        J.attribute("reserved_bytes", H.ReservedKnown
                                          ? json::Value(H.ReservedBytes)
                                          : json::Value(nullptr));
      });
  });
  J.attributeArray("categories", [&] {
    for (const CategorySum &K : sumCategories(M.Tensors, O.Number))
      J.object([&] {
        writeCategory(J, K, [&](uint32_t Id) { return T.string(Id); });
      });
  });
  J.attributeArray("largest", [&] {
    for (const CategoryStats &K : M.Tensors)
      J.object([&] {
        J.attribute("category", categoryKey(K.Category));
        J.attribute("layer", jsonTextOrNull(T.string(K.Layer)));
        J.attribute("bytes", K.Bytes);
        J.attribute("blocks", K.Blocks);
        J.attributeBegin("stack");
        writeStack(J, T, K.Stack);
        J.attributeEnd();
      });
  });
}

void memkit::writeOomJson(raw_ostream &OS, const Trace &T) {
  json::OStream J(OS, /*IndentSize=*/1);
  J.object([&] {
    J.attributeArray("ooms", [&] {
      for (const OomReport &M : queryOoms(T))
        J.object([&] { writeNow(J, T, M); });
    });
  });
  OS << '\n';
}
