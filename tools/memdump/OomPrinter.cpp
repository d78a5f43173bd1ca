// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints out-of-memory events.

#include "OomPrinter.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Export/StackText.h"
#include "Export/TableText.h"
#include "Report/OomSentences.h"
#include "Report/RunPrinters.h"
#include "Support/Table.h"
#include "TraceText/EnumNames.h"
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

/// What the process and its memory space held, by line.
static void printHolders(raw_ostream &OS, const Trace &T, const Places &Where,
                         const OomMoment &M, unsigned Width) {
  constexpr size_t Max = 8;
  if (M.Holders.empty())
    return;
  using Side = Table::Side;
  Table Rows({{"held then", Side::Right},
              {"share", Side::Right},
              {"blocks", Side::Right},
              {"by", Side::Left, true}});
  ArrayRef<OomHolder> All = M.Holders;
  for (const OomHolder &H : All.take_front(isVerbose() ? All.size() : Max))
    Rows.add({formatSize(H.Bytes), formatShare(H.Bytes, M.LiveBytes),
              formatCount(H.Blocks), Where.text(Where.place(H.Place))});
  if (!isVerbose() && All.size() > Max) {
    OomHolder Rest;
    for (const OomHolder &H : All.drop_front(Max)) {
      Rest.Bytes += H.Bytes;
      Rest.Blocks += H.Blocks;
    }
    Rows.add({formatSize(Rest.Bytes), formatShare(Rest.Bytes, M.LiveBytes),
              formatCount(Rest.Blocks),
              formatCount(All.size() - Max) + " other places"});
  }
  OS << '\n';
  Rows.print(OS, Width);
}

static void printReason(raw_ostream &OS, const Trace &T, const Places &Where,
                        const OomMoment &M, unsigned Width) {
  const OomRecord &O = M.Event.What;
  OS << oomReason(T, Where, M) << '\n';
  if (O.Skipped)
    OS << "failed " << formatCount(O.Skipped)
       << (O.Skipped == 1 ? " time" : " times") << " shortly before\n";
  if (std::string Advice = oomAdvice(T, Where, M); !Advice.empty())
    OS << "to change: " << Advice << '\n';
  if (O.ScopePath)
    OS << "in " << T.scopePathText(O.ScopePath) << '\n';
  if (O.Stack)
    printLines(OS, T, O.Stack, Width);
}

static void printMoment(raw_ostream &OS, const Trace &T, const Places &Where,
                        const OomMoment &M, unsigned Width) {
  const OomReport &R = M.Event;
  printReason(OS, T, Where, M, Width);
  printHolders(OS, T, Where, M, Width);
  if (!R.Heaps.empty()) {
    OS << '\n';
    printHeaps(OS, T, R, Width);
  }
  if (R.Tensors.empty())
    return;
  OS << "\nlive tensors of " << T.processName(R.What.Process) << ":\n\n";
  std::vector<CategorySum> Sums = sumCategories(R.Tensors, R.What.Number);
  tableOf(*categoryTable(T, Sums, bytesOf(Sums))).print(OS, Width);
  printLargest(OS, T, R, Width);
}

void memkit::printOoms(raw_ostream &OS, const Trace &T, const Places &Where,
                       ArrayRef<OomMoment> Moments) {
  if (Moments.empty())
    OS << (T.isComplete() ? "memory never ran out\n"
                          : "memory never ran out, as far as the trace goes: "
                            "the trace is not complete\n");
  unsigned Width = outputWidth();
  for (const OomMoment &M : Moments) {
    if (&M != &Moments.front())
      OS << "\n\n";
    printMoment(OS, T, Where, M, Width);
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeHolders(json::OStream &J, const Places &Where,
                         const OomMoment &M) {
  J.attributeArray("holders", [&] {
    for (const OomHolder &H : M.Holders)
      J.object([&] {
        J.attribute("place", jsonText(Where.text(Where.place(H.Place))));
        J.attribute("bytes", H.Bytes);
        J.attribute("blocks", H.Blocks);
      });
  });
}

static void writeMoment(json::OStream &J, const Trace &T, const Places &Where,
                        const OomMoment &Of) {
  const OomReport &M = Of.Event;
  const OomRecord &O = M.What;
  J.attribute("kind", enumName(O.Kind));
  J.attribute("reason", jsonText(oomReason(T, Where, Of)));
  J.attribute("advice", jsonText(oomAdvice(T, Where, Of)));
  J.attribute("limit_kind", enumName(O.Limit));
  J.attribute("limit_bytes",
              O.LimitBytes ? json::Value(O.LimitBytes) : json::Value(nullptr));
  J.attribute("free_bytes",
              O.FreeKnown ? json::Value(O.FreeBytes) : json::Value(nullptr));
  J.attribute("heap", jsonText(T.heapName(O.Heap)));
  J.attribute("process", O.Process);
  J.attribute("time_ns", O.TimeNs);
  J.attribute("requested_bytes", O.Requested);
  J.attribute("skipped", O.Skipped);
  J.attribute("scope_path", jsonTextOrNull(T.scopePathText(O.ScopePath)));
  J.attributeBegin("stack");
  writeStack(J, T, O.Stack);
  J.attributeEnd();
  writeHolders(J, Where, Of);
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
  writeRowsJson(J, "categories",
                *categoryObjects(T, sumCategories(M.Tensors, O.Number),
                                 /*OfHeaps=*/false));
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

void memkit::writeOomJson(raw_ostream &OS, const Trace &T, const Places &Where,
                          ArrayRef<OomMoment> Moments) {
  json::OStream J(OS, /*IndentSize=*/1);
  J.object([&] {
    J.attributeArray("ooms", [&] {
      for (const OomMoment &M : Moments)
        J.object([&] { writeMoment(J, T, Where, M); });
    });
  });
  OS << '\n';
}
