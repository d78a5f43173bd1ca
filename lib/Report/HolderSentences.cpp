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

std::string noHolderText(ArrayRef<HolderSearch> Searches, uint32_t Process) {
  auto IsOf = [&](const HolderSearch &S) { return S.Process == Process; };
  auto Last = find_if(reverse(Searches), IsOf);
  if (Last == Searches.rend())
    return "";
  return Last->Bits & HeldByStopped
             ? "no Python name found: the search stopped after " +
                   formatTime(Last->Ns)
             : "no Python name found";
}

} // namespace memkit
