// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the names of Python that hold blocks.

#include "HolderPrinter.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Export/StackText.h"
#include "Report/FirstScreen.h"
#include "Report/HolderSentences.h"
#include "Support/Table.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include <map>

using namespace llvm;
using namespace memkit;

namespace {
/// A name, and the heap of its blocks.
struct HolderRow {
  uint32_t Process, Heap;
  HeldPath Held;
};
} // namespace

/// The most bytes first.
static std::vector<HolderRow> holderRows(const Trace &T, const HeldBlocks &B) {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<HeldBlock>> Of;
  for (const HeldBlock &Block : B.Blocks)
    Of[{Block.Process, Block.Heap}].push_back(Block);
  std::vector<HolderRow> Rows;
  for (const auto &[Key, Blocks] : Of)
    for (HeldPath &P : commonPaths(T, Blocks))
      Rows.push_back({Key.first, Key.second, std::move(P)});
  stable_sort(Rows, [](const HolderRow &A, const HolderRow &C) {
    return A.Held.Bytes > C.Held.Bytes;
  });
  return Rows;
}

void memkit::printHolders(raw_ostream &OS, const Trace &T,
                          const HeldBlocks &B) {
  if (B.Searches.empty() && B.Blocks.empty()) {
    OS << "no names were looked for: record with --holders=end, or call "
          "memkit.holders()\n";
    return;
  }
  for (const HolderSearch &S : B.Searches) {
    OS << formatTime(S.TimeNs) << ": ";
    if (S.Bits & HeldByStopped && !S.Objects)
      OS << "no search: the process had no memory for one";
    else
      OS << plural(S.Named, "block") << " named, of "
         << plural(S.Objects, "object") << " seen in " << formatTime(S.Ns);
    if (T.processes().size() > 1)
      OS << ", " << T.processName(S.Process);
    OS << (S.Bits & HeldByStopped && S.Objects
               ? "; stopped before all were seen\n"
               : "\n");
  }
  uint64_t Named = 0;
  for (const HeldBlock &Block : B.Blocks)
    Named += Block.Bytes;
  if (std::string Text = earlierSearchText(T, B.Searches, Named); !Text.empty())
    OS << Text << '\n';
  constexpr size_t Usual = 20;
  std::vector<HolderRow> Rows = holderRows(T, B);
  size_t Shown = isVerbose() ? Rows.size() : std::min(Usual, Rows.size());
  using Side = Table::Side;
  Table Holders({{"bytes", Side::Right},
                 {"blocks", Side::Right},
                 {"heap", Side::Left},
                 {"held by", Side::Left, true}});
  for (const HolderRow &R : ArrayRef(Rows).take_front(Shown))
    Holders.add({formatSize(R.Held.Bytes), formatCount(R.Held.Blocks),
                 T.heapName(R.Heap).str(), heldByText(R.Held)});
  if (Shown)
    OS << '\n';
  Holders.print(OS, outputWidth());
  if (Rows.size() > Shown)
    OS << '\n'
       << plural(Rows.size() - Shown, "smaller name") << "; -v shows all\n";
}

void memkit::writeHoldersJson(raw_ostream &OS, const Trace &T,
                              const HeldBlocks &B) {
  json::OStream J(OS, /*IndentSize=*/1);
  J.object([&] {
    J.attributeArray("searches", [&] {
      for (const HolderSearch &S : B.Searches)
        J.object([&] {
          J.attribute("process", S.Process);
          J.attribute("time_ns", S.TimeNs);
          J.attribute("duration_ns", S.Ns);
          J.attribute("objects", S.Objects);
          J.attribute("blocks", S.Named);
          J.attribute("stopped", (S.Bits & HeldByStopped) != 0);
        });
    });
    J.attributeArray("holders", [&] {
      for (const HolderRow &R : holderRows(T, B))
        J.object([&] {
          J.attribute("path", jsonText(R.Held.Path));
          J.attribute("process", R.Process);
          J.attribute("heap", jsonText(T.heapName(R.Heap)));
          J.attribute("bytes", R.Held.Bytes);
          J.attribute("blocks", R.Held.Blocks);
          J.attribute("only_cycle", (R.Held.Bits & HeldByCycle) != 0);
          J.attribute("no_name", (R.Held.Bits & HeldByNoName) != 0);
        });
    });
  });
  OS << '\n';
}
