// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that a user may have meant.

#include "NearName.h"

using namespace llvm;

namespace memkit {

/// Whether A is B with two neighbours swapped.
static bool isSwapped(StringRef A, StringRef B) {
  if (A.size() != B.size())
    return false;
  size_t At = 0;
  while (At != A.size() && A[At] == B[At])
    ++At;
  return At + 1 < A.size() && A[At] == B[At + 1] && A[At + 1] == B[At] &&
         A.drop_front(At + 2) == B.drop_front(At + 2);
}

StringRef nearestName(StringRef Name, ArrayRef<StringRef> Names) {
  constexpr unsigned MaxEdits = 2;
  StringRef Best;
  unsigned BestEdits = MaxEdits + 1;
  for (StringRef N : Names) {
    unsigned Edits =
        Name.edit_distance(N, /*AllowReplacements=*/true, MaxEdits);
    if (isSwapped(Name, N))
      Edits = 1;
    // An edit of each letter is another name.
    if (Edits < BestEdits && Edits < std::min(Name.size(), N.size()))
      Best = N, BestEdits = Edits;
  }
  return Best;
}

} // namespace memkit
