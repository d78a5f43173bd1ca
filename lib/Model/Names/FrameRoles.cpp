// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which frames of a stack stay.

#include "memkit/Model/FrameRoles.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

SmallVector<bool, 64> unfoldedFrames(ArrayRef<FrameRole> Roles) {
  size_t Inner = Roles.size(); // index after the innermost Python frame
  while (Inner && !isPython(Roles[Inner - 1]))
    --Inner;
  SmallVector<bool, 64> Stays(Roles.size());
  bool HasOutside = false; // a Python or Program frame is further out
  for (size_t I = 0; I != Roles.size(); ++I) {
    FrameRole R = Roles[I];
    bool IsHidden = R == FrameRole::Folded || R == FrameRole::FoldedPython ||
                    R == FrameRole::Allocator ||
                    (R == FrameRole::Start && !HasOutside);
    HasOutside |= isPython(R) || R == FrameRole::Program;
    bool IsOuter = I + 1 < Inner;
    Stays[I] = !IsHidden && (!IsOuter || R == FrameRole::Python ||
                             R == FrameRole::Program || R == FrameRole::Start);
  }
  for (size_t I = Inner;
       Inner && I != Roles.size() && (Roles[I] == FrameRole::Glue || !Stays[I]);
       ++I)
    Stays[I] = false;
  // A stack of hidden frames alone shows its innermost frame.
  if (!Roles.empty() && !is_contained(Stays, true))
    Stays.back() = true;
  return Stays;
}

} // namespace memkit
