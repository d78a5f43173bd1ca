// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sentences about resident memory.

#include "ResidentSentences.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace llvm;

namespace memkit {

std::vector<size_t> residentOrder(const ResidentSample &S) {
  std::vector<size_t> Order(NumResidentParts);
  std::iota(Order.begin(), Order.end(), size_t(0));
  stable_sort(Order,
              [&](size_t A, size_t B) { return S.Bytes[A] > S.Bytes[B]; });
  erase_if(Order, [&](size_t I) { return !S.Bytes[I]; });
  return Order;
}

StringRef residentPartName(ResidentPart P) {
  static constexpr StringLiteral Names[] = {"live blocks of malloc",
                                            "free memory in malloc",
                                            "live Python objects",
                                            "free memory in Python's arenas",
                                            "the program's mappings",
                                            "stacks of threads",
                                            "code and data of binaries",
                                            "mapped files",
                                            "shared memory",
                                            "mappings of drivers",
                                            "mappings with MAP_NORESERVE",
                                            "memory of the parent process",
                                            "memrec's library",
                                            "not recorded",
                                            "pinned by CUDA's driver"};
  static_assert(std::size(Names) == NumResidentParts);
  return Names[size_t(P)];
}

uint32_t residentProcess(const PageInput &F) {
  uint32_t Most = 0;
  for (uint32_t P = 1; P < F.O.Residents.size(); ++P)
    if (F.Sel.hasProcess(P) && !F.O.Residents[P].empty() &&
        (!Most || F.O.Residents[P].highest().total() >
                      F.O.Residents[Most].highest().total()))
      Most = P;
  return Most;
}

/// `free memory in malloc 301 MiB, live blocks of malloc 87.1 MiB, other 4
/// MiB`: the largest parts.
static std::string partsText(const ResidentSample &S) {
  constexpr size_t Max = 4;
  std::string Text;
  std::vector<size_t> Order = residentOrder(S);
  uint64_t Rest = S.total();
  for (size_t I : ArrayRef(Order).take_front(std::min(Max, Order.size()))) {
    if (S.Bytes[I] < S.total() / 50)
      break;
    Rest -= S.Bytes[I];
    Text += residentPartName(ResidentPart(I)).str() + " " +
            formatSize(S.Bytes[I]) + ", ";
  }
  Text += "other " + formatSize(Rest);
  constexpr uint64_t Much = 16 << 20;
  if (S.Untouched > std::max(Much, S.total() / 10))
    Text +=
        "; " + formatSize(S.Untouched) + " of live memory were never touched";
  if (S.Swapped)
    Text += "; " + formatSize(S.Swapped) + " more are swapped out";
  return Text;
}

/// When the process was largest, and what ran then, if not at the peak of live
/// memory: `, at 4.72 s while batch.py:11 enrich ran (170 MiB in the samples
/// around the peak of live memory)`. A short peak may lie between two samples.
static std::string elsewhereText(const PageInput &F) {
  const Resident &R = F.O.Rss;
  if (!R.HighestNs)
    return "";
  std::string Text = ", at " + formatTime(R.HighestNs);
  if (R.Ran)
    Text += " while " + F.O.Where->text(F.O.Where->place(*R.Ran)) + " ran";
  return Text + " (" + formatSize(R.AtPeakBytes) +
         " in the samples around the peak of live memory)";
}

/// The highest sample, and its parts: those of the largest process.
static std::string highestText(const PageInput &F, uint32_t Process,
                               const ResidentSample &S) {
  uint64_t Total = S.total(), Most = std::max(F.R.MaxRss, Total);
  bool IsMost = Total > Most - Most / 50;
  std::string Text =
      formatSize(Most) + " at most" + (IsMost ? "" : "; " + formatSize(Total));
  if (F.R.Processes.size() > 1)
    Text += (" in " + F.T.processName(Process)).str();
  Text += IsMost ? elsewhereText(F) : " at " + formatTime(S.TimeNs);
  Text += ": " + partsText(S);
  const Resident &R = F.O.Rss;
  if (R.HasLast && R.LastBytes < Most - Most / 10)
    Text += "; " + formatSize(R.LastBytes) + " in the last sample";
  return Text;
}

/// What the resident bytes of the last sample are, as far as samples tell.
static std::string residentParts(const Resident &R) {
  uint64_t Own = R.LastBytes - R.LastSharedBytes, Live = *R.LastLiveBytes;
  std::string Text = "live " + formatSize(Live);
  if (Live > Own)
    Text += ", of which " + formatSize(Live - Own) + " were never touched";
  Text += "; code, files and shared memory " + formatSize(R.LastSharedBytes);
  if (Own > Live)
    Text += "; freed memory that allocators keep, and other " +
            formatSize(Own - Live);
  return Text;
}

/// Whether bursts take Free bytes again and again, the last one in the second
/// half of the time up to AtNs.
static bool hasBursts(ArrayRef<SeriesPoint> Points, uint64_t Free,
                      uint64_t AtNs) {
  uint64_t Rest = UINT64_MAX, Bursts = 0, LastNs = 0;
  for (const SeriesPoint &P : Points)
    Rest = P.TimeNs <= AtNs ? P.Value : std::min(Rest, P.Value);
  bool IsHigh = false;
  for (const SeriesPoint &P : Points) {
    bool Rises = P.Value >= Rest + Free / 4 * 3;
    Bursts += Rises && !IsHigh;
    IsHigh = Rises || (IsHigh && P.Value > Rest + Free / 4);
    if (Rises)
      LastNs = P.TimeNs;
  }
  return Bursts >= 2 && LastNs > AtNs / 2;
}

/// Whether bursts take the freed memory again and again, the last one not long
/// ago: what is free between two bursts is not too much. Free: bytes at AtNs. A
/// burst may lie between two points of the heap's series; the curve of the host
/// has the most in each column.
static bool isUsedAgain(const PageInput &F, uint64_t Free, uint64_t AtNs) {
  for (uint32_t Id = 1; Id < F.O.Live.Heaps.size(); ++Id)
    if (F.T.heapName(Id) == "host.malloc" &&
        hasBursts(F.O.Live.Heaps[Id], Free, AtNs))
      return true;
  if (!F.O.Curves || F.O.Curves->Spaces.empty())
    return false;
  const std::vector<uint64_t> &Host = F.O.Curves->Spaces.front();
  std::vector<SeriesPoint> Points;
  for (size_t I = 0; I != Host.size(); ++I)
    Points.push_back({F.T.endNs() / Host.size() * (I + 1), Host[I]});
  return hasBursts(Points, Free, AtNs);
}

/// Whether arenas hold memory that others could have used: more is resident
/// than was ever live at a time.
static bool exceedsPeak(const PageInput &F, uint64_t Resident) {
  return Resident / 3 * 2 > F.T.hostStats().PeakBytes;
}

/// From a sample of the parts: how much freed memory malloc holds, how much of
/// the freed memory malloc_trim(0) gives back, and what else to try.
static std::string trimAdvice(const PageInput &F, const ResidentSample &S) {
  constexpr uint64_t Small = 32 << 20;
  uint64_t Free = S.of(ResidentPart::MallocFree), Trimmable = S.FreePages;
  if (Free < std::max(Small, S.total() / 4) || S.HasUnknown ||
      isUsedAgain(F, Free, S.TimeNs))
    return "";
  // What was free at the last look at the parts may be given back by now.
  if (F.O.Rss.HasLast && F.O.Rss.LastBytes < S.total() - S.total() / 4)
    return "";
  auto IsMostlyFree = [](const ResidentSample::ResidentArena &A) {
    return A.PagesFree > A.Resident / 2;
  };
  size_t Many = size_t(count_if(S.Arenas, IsMostlyFree));
  bool HasTrim = Trimmable >= Free / 4;
  bool HasArenas = Many >= 3 && exceedsPeak(F, S.total());
  if (!HasTrim && !HasArenas)
    return "";
  std::string Text = "Suggestion: malloc holds " + formatSize(Free) +
                     " of freed memory in " + plural(S.NumArenas, "arena");
  if (HasTrim)
    Text += ": malloc_trim(0) gives back " + formatSize(Trimmable);
  if (HasArenas)
    Text += "; " + plural(Many, "arena") +
            " are mostly free: try MALLOC_ARENA_MAX=2";
  return Text;
}

/// What may give freed memory back; empty: little is kept.
std::string keptAdvice(const PageInput &F) {
  constexpr uint64_t Small = 64 << 20;
  constexpr size_t ManyThreads = 4;
  const Resident &R = F.O.Rss;
  if (uint32_t Process = residentProcess(F))
    return trimAdvice(F, F.O.Residents[Process].last());
  uint64_t Own = R.LastBytes - R.LastSharedBytes, Live = *R.LastLiveBytes;
  uint64_t Kept = Own > Live ? Own - Live : 0;
  // Only a program that once had as much has freed as much; the arenas of
  // threads may each keep their own peak.
  uint64_t Peak = F.T.hostStats().PeakBytes;
  size_t Arenas = std::max<size_t>(F.O.Threads.size(), 1);
  if (Kept < std::max(Small, R.LastBytes / 2) || Peak < Kept / (2 * Arenas) ||
      isUsedAgain(F, Kept, F.T.endNs()))
    return "";
  std::string Text = "Suggestion: allocators keep " + formatSize(Kept) +
                     " of freed memory: blocks that still live may pin it. Try "
                     "malloc_trim(0)";
  if (F.O.Threads.size() >= ManyThreads && exceedsPeak(F, R.LastBytes))
    Text += ", MALLOC_ARENA_MAX=2 (" + formatCount(F.O.Threads.size()) +
            " threads have allocated)";
  return Text;
}

std::string ownText(const PageInput &F) {
  const Resident &R = F.O.Rss;
  if (!R.OwnBytes)
    return "";
  std::string Text = formatSize(R.OwnBytes) + " at most, at " +
                     formatTime(R.OwnNs) + ": anonymous " +
                     formatSize(R.OwnBytes - R.OwnSwapped) + ", swapped out " +
                     formatSize(R.OwnSwapped);
  if (R.LastOwnBytes && R.LastOwnBytes < R.OwnBytes - R.OwnBytes / 10)
    Text += "; " + formatSize(R.LastOwnBytes) + " in the last sample";
  return Text;
}

std::string residentText(const PageInput &F) {
  const Resident &R = F.O.Rss;
  if (uint32_t Process = residentProcess(F))
    return highestText(F, Process, F.O.Residents[Process].highest());
  std::string Text =
      formatSize(std::max(F.R.MaxRss, R.HasLast ? R.LastBytes : 0)) +
      " at most" + elsewhereText(F);
  if (!R.HasLast)
    return Text;
  Text += ", " + formatSize(R.LastBytes) + " in the last sample";
  return R.LastLiveBytes ? Text + ": " + residentParts(R) : Text;
}

} // namespace memkit
