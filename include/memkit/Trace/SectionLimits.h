// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions and limits of the sections of a trace.

#ifndef MEMKIT_TRACE_SECTIONLIMITS_H
#define MEMKIT_TRACE_SECTIONLIMITS_H

#include <cstdint>

namespace memkit {

/// The version of the layout of frames and sections in the file.
inline constexpr uint32_t ContainerVersion = 1;
/// The version of the meaning of sections. A reader accepts the range
/// lowest..current.
inline constexpr uint32_t FormatVersion = 1;
inline constexpr uint32_t LowestFormatVersion = 1;
static_assert(LowestFormatVersion <= FormatVersion);

/// Event times are multiples of this.
inline constexpr uint64_t TimeUnitNs = 100;
/// The maximum of rows of an Events section, entries of a Snapshot, rows of a
/// Summary part, rows of BlockCategories and DeviceSpans, and changes of
/// ScopeTimes; and the
/// maximum of threads of an Events section.
inline constexpr uint32_t MaxSectionRows = 65536;
inline constexpr uint32_t MaxSectionThreads = 255;
/// The maximum of bytes of a section before compression. A reader takes no more
/// memory for a section, whatever a file claims.
inline constexpr uint32_t MaxSectionBytes = 16u << 20;

} // namespace memkit

#endif // MEMKIT_TRACE_SECTIONLIMITS_H
