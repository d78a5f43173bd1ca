// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over time, as profiles of several times.

#ifndef MEMKIT_TOOLS_MEMFLAME_OVERTIME_H
#define MEMKIT_TOOLS_MEMFLAME_OVERTIME_H

#include "Export/Speedscope.h"
#include "Model/Query/ProfileQuery.h"

namespace memkit {

/// The live bytes of each memory space at up to 40 times at equal distances;
/// with chosen heaps those of the heaps. Replays all events. The names in the
/// result live as long as the result. Errors: TraceError, and RequestError of a
/// trace without events.
llvm::Expected<std::vector<ProfileCourse>> liveOverTime(const ProfileQuery &P);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMFLAME_OVERTIME_H
