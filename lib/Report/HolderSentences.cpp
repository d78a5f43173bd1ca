// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sentences on the names of Python that hold blocks.

#include "Report/HolderSentences.h"
#include "Report/FirstScreen.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

std::string holdersText(ArrayRef<HeldPath> Paths) {
  if (Paths.empty())
    return "";
  const HeldPath &Most = Paths.front();
  std::string Text = heldByText(Most) + " (" + formatSize(Most.Bytes) + " in " +
                     plural(Most.Blocks, "block") + " looked at";
  uint64_t Bytes = 0;
  for (const HeldPath &P : Paths.drop_front())
    Bytes += P.Bytes;
  if (Bytes)
    Text += "; by " + plural(Paths.size() - 1, "other name") + " " +
            formatSize(Bytes);
  return Text + ")";
}

/// Whether all names were looked for at the end of the process, when functions
/// have returned and their variables are gone.
static bool areAtEnd(ArrayRef<HolderSearch> Searches, uint32_t Process) {
  return all_of(Searches, [&](const HolderSearch &S) {
    return S.Process != Process || S.Bits & HeldByAtEnd;
  });
}

/// The memory space with the highest peak.
static uint32_t highestSpace(const Trace &T) {
  uint32_t Most = 0;
  for (uint32_t Space = 1; Space <= T.devices().size(); ++Space)
    if (T.spaceStats(Space).PeakBytes > T.spaceStats(Most).PeakBytes)
      Most = Space;
  return Most;
}

/// A condition for a search that holds shortly before the highest peak.
static std::string conditionAtPeak(const Trace &T) {
  constexpr uint64_t MiB = 1 << 20;
  uint32_t Most = highestSpace(T);
  uint64_t Bytes = T.spaceStats(Most).PeakBytes / 10 * 9;
  bool IsLarge = Bytes >= MiB;
  return (T.spaceName(Most) + ":live>" + Twine(Bytes / (IsLarge ? MiB : 1024)) +
          (IsLarge ? "MiB" : "KiB"))
      .str();
}

std::string earlierSearchText(const Trace &T, ArrayRef<HolderSearch> Searches,
                              uint64_t NamedBytes) {
  if (Searches.empty() ||
      NamedBytes > T.spaceStats(highestSpace(T)).PeakBytes / 2 ||
      !all_of(Searches, [&](const HolderSearch &S) {
        return areAtEnd(Searches, S.Process);
      }))
    return "";
  return "Names were looked for at the end, when functions have returned; for "
         "those at the peak, look earlier, at " +
         conditionAtPeak(T);
}

std::string noHolderText(const Trace &T, ArrayRef<HolderSearch> Searches,
                         uint32_t Process) {
  auto IsOf = [&](const HolderSearch &S) { return S.Process == Process; };
  auto Last = find_if(reverse(Searches), IsOf);
  if (Last == Searches.rend())
    return "";
  if (Last->Bits & HeldByStopped)
    return "no Python name found: the search stopped after " +
           formatTime(Last->Ns);
  if (areAtEnd(Searches, Process))
    return "no Python name found at the end, when functions have returned; "
           "look for names earlier, at " +
           conditionAtPeak(T);
  return "no Python name found";
}

} // namespace memkit
