// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code and unwind rule of a pc.
//
// Finds them in the map of codes, or makes them: asks the loader for the
// binary, compiles the rule from the binary's unwind tables, and takes a code
// id in the shared table. Forgets them when the code is unmapped.

#ifndef MEMKIT_CAPTURE_STACKS_CODES_H
#define MEMKIT_CAPTURE_STACKS_CODES_H

#include "State.h"

namespace memkit::capture {

// Code is identified by a return address: the code is the call before the
// address. For an instruction that a signal interrupted, the address is pc + 1.
/// Makes the word of new code. Code without a binary (a JIT compiler's) has no
/// rule, and must be asked for again each time: see stillUnowned.
CodeWord makeCode(uintptr_t Return);

/// The code before \p Return.
inline CodeWord codeAt(uintptr_t Return) {
  CodeWord W = Stacks.Codes.find(Return);
  return __builtin_expect(bool(W), 1) ? W : makeCode(Return);
}

/// For a word with the flag Unowned: is there still no binary at the address?
/// If there is one, makes \p W anew.
bool stillUnowned(uintptr_t Return, CodeWord &W);

/// Has the code at \p Pc unwind tables with a rule?
bool hasTables(uintptr_t Pc);

/// The loader has freed \p P, perhaps the link_map of an unloaded binary:
/// forgets the binary's codes.
void noteLoaderFree(const void *P);

/// Forgets the codes of all binaries that the loader no longer has. Slow.
void forgetGoneBinaries();

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_CODES_H
