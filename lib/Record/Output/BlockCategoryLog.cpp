// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Categories of tensors of a process that are not written yet.

#include "Output/BlockCategoryLog.h"
#include "llvm/ADT/STLExtras.h"
#include <utility>

using namespace memkit;

std::vector<BlockCategory> BlockCategoryLog::take() {
  if (AddLive)
    AddLive();
  llvm::stable_sort(Rows, [](const BlockCategory &A, const BlockCategory &B) {
    return A.AllocationId < B.AllocationId;
  });
  // The last row of a block counts.
  std::vector<BlockCategory> Out;
  for (const BlockCategory &R : std::exchange(Rows, {}))
    if (!Out.empty() && Out.back().AllocationId == R.AllocationId)
      Out.back() = R;
    else
      Out.push_back(R);
  return Out;
}
