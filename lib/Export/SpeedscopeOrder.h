// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values side by side.

#ifndef MEMKIT_LIB_EXPORT_SPEEDSCOPEORDER_H
#define MEMKIT_LIB_EXPORT_SPEEDSCOPEORDER_H

#include "FlameTree.h"
#include "SpeedscopeText.h"

namespace memkit {

/// Adds the events that draw the values of P, a profile of T, one by one from
/// the left. Max: the number of values drawn, the largest; all others are
/// folded with their neighbours. 0 is no limit.
void addInOrder(Text &To, ShownTree T, FlameNames &Names, const Profile &P,
                size_t Max);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_SPEEDSCOPEORDER_H
