// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What allocators reserve.

#include "Sections.h"
#include "memkit/Support/Format.h"

using namespace llvm;

namespace memkit {

using Side = Table::Side;

static std::string shareText(std::optional<uint32_t> Ppm) {
  return Ppm ? formatShare(*Ppm) : "";
}

static std::string trendText(const HeapFragmentation &H) {
  if (!H.FirstPpm || !H.LastPpm)
    return "";
  return formatShare(*H.FirstPpm) + " -> " + formatShare(*H.LastPpm);
}

/// Adds the peak of each pool of a heap with several pools.
static void notePools(const PageInput &F, const HeapFragmentation &H,
                      std::vector<std::string> &Notes) {
  constexpr size_t Max = 8;
  for (const PoolPeak &P : ArrayRef(H.Pools).take_front(Max)) {
    std::string Note =
        F.heapName(H.Heap).str() + ", " +
        (P.Pool ? "pool " + std::to_string(P.Pool) : "the device's own pool");
    if (F.T.processes().size() > 1)
      Note += (" of " + F.T.processName(P.Process)).str();
    Note += ": reserved at most " + formatSize(P.Reserved) +
            ", active at most " + formatSize(P.Active);
    if (P.Trimmed.Count)
      Note += "; " + plural(P.Trimmed.Count, "trim") + " returned " +
              formatSize(P.Trimmed.Bytes);
    Notes.push_back(std::move(Note));
  }
  if (H.Pools.size() > Max)
    Notes.push_back(F.heapName(H.Heap).str() + ": " +
                    plural(H.Pools.size() - Max, "more pool"));
}

std::optional<PageSection> reservedSection(const PageInput &F) {
  Table T({{"reserved by", Side::Left, true},
           {"when", Side::Left},
           {"reserved", Side::Right},
           {"allocated", Side::Right},
           {"active", Side::Right},
           {"inactive", Side::Right},
           {"unused", Side::Right}});
  PageSection Out;
  std::string Unknown;
  auto Add = [&](StringRef Name, StringRef When,
                 const HeapFragmentation::FragmentationTimePoint &M) {
    T.add({Name.str(), When.str(), formatSize(M.Reserved),
           formatSize(M.Allocated), M.Active ? formatSize(*M.Active) : "",
           M.Active && *M.Active <= M.Reserved
               ? formatSize(M.Reserved - *M.Active)
               : "",
           shareText(M.Ppm)});
  };
  for (const HeapFragmentation &H : F.O.Fragmentation) {
    StringRef Name = F.heapName(H.Heap);
    if (!H.Known) {
      Unknown += (Unknown.empty() ? "" : ", ") + Name.str();
      continue;
    }
    Add(Name, "at the end", H.Now);
    Add("", "at the peak", H.AtPeak);
    std::string Note =
        Name.str() + " reserved at most " + formatSize(H.ReservedPeak) +
        (H.ActivePeak ? ", active at most " + formatSize(*H.ActivePeak)
                      : std::string()) +
        "; when it reserved more, up to " + shareText(H.LargestPpm) +
        " of it was unused";
    if (std::string Trend = trendText(H); !Trend.empty())
      Note += "; unused over the run: " + Trend;
    Out.Notes.push_back(Note);
    if (H.Trimmed.Count)
      Out.Notes.push_back(Name.str() + " was trimmed " +
                          plural(H.Trimmed.Count, "time") + " and returned " +
                          formatSize(H.Trimmed.Bytes));
    notePools(F, H, Out.Notes);
  }
  if (T.empty())
    return std::nullopt;
  if (!Unknown.empty())
    Out.Notes.push_back("reserved memory unknown for: " + Unknown);
  Out.Title = "Reserved and unused";
  Out.Rows = std::move(T);
  return Out;
}

} // namespace memkit
