// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values side by side, in the order of a profile.

#ifndef MEMKIT_LIB_EXPORT_FLAMEORDER_H
#define MEMKIT_LIB_EXPORT_FLAMEORDER_H

#include "FlameTree.h"

namespace memkit {

/// Calls Draw for the values of P, a profile of T, in their order, with the
/// names of the frames from the outermost. Max: the number of values drawn, the
/// largest; all others are folded with their neighbours. 0 is no limit.
void drawInOrder(
    ShownTree T, FlameNames &Names, const Profile &P, size_t Max,
    llvm::function_ref<void(llvm::ArrayRef<uint32_t> Path, uint64_t Value)>
        Draw);

/// A tree whose siblings are in the order of the profile: frames that
/// neighbours share are one node, and a node's own value comes after its
/// children.
std::vector<FlameNode> nodesInOrder(ShownTree T, FlameNames &Names,
                                    const Profile &P, size_t Max);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_FLAMEORDER_H
