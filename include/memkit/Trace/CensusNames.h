// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of frames of what lived in a program before its recording.

#ifndef MEMKIT_TRACE_CENSUSNAMES_H
#define MEMKIT_TRACE_CENSUSNAMES_H

namespace memkit {

// In the stack of such a block stand, outermost first: LivedBefore, if a
// recording follows; the variable that holds the block, or a text in brackets;
// the kinds of the blocks that lead to it.

inline constexpr char LivedBefore[] = "[lived before]";
/// Of blocks to whose address no word of the memory points.
inline constexpr char NoPointerLeads[] = "[no pointer leads here]";

} // namespace memkit

#endif // MEMKIT_TRACE_CENSUSNAMES_H
