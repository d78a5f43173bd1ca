// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectors: functions of the program that tell the memory of its devices.

#ifndef MEMKIT_CAPTURE_REPORTED_COLLECTORS_H
#define MEMKIT_CAPTURE_REPORTED_COLLECTORS_H

#include "Runtime/Source.h"

namespace memkit::capture {

extern const Source CollectorSource;

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_REPORTED_COLLECTORS_H
