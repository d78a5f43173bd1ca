// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a pc.
//
// What is known of a pc: found in the map of codes, or made: its binary asked
// of the loader, its rule compiled from the binary's unwind tables, a code id
// taken in the shared table. And how that is forgotten.

#ifndef MEMKIT_CAPTURE_STACKS_CODES_H
#define MEMKIT_CAPTURE_STACKS_CODES_H

#include "State.h"

namespace memkit::capture {

// Code is named by a return address: it lies before that, in the call. For what
// a signal interrupted that is the pc plus 1.
//
/// Makes what is not known yet. Code that no binary owns (a JIT compiler's) has
/// no rule, and has to be asked for again each time: see stillUnowned.
CodeWord makeCode(uintptr_t Return);

/// The code before \p Return.
inline CodeWord codeAt(uintptr_t Return) {
  CodeWord W = Stacks.Codes.find(Return);
  return __builtin_expect(bool(W), 1) ? W : makeCode(Return);
}

/// Of a word with the flag Unowned: has no binary been loaded there since? If
/// one has, \p W is made anew.
bool stillUnowned(uintptr_t Return, CodeWord &W);

/// Do the unwind tables of a binary say how to step over the code at \p Pc?
bool hasTables(uintptr_t Pc);

/// Code has been unmapped: what is known of it is not good any more. The
/// loader has freed \p P, perhaps the link_map of a binary that is no more.
void noteLoaderFree(const void *P);

/// The same for whatever the loader no longer knows. Not in a hot path.
void forgetGoneBinaries();

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_CODES_H
