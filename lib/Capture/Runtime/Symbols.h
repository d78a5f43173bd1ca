// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up symbols of other libraries.
//
// Leaves no error state in the program.

#ifndef MEMKIT_CAPTURE_RUNTIME_SYMBOLS_H
#define MEMKIT_CAPTURE_RUNTIME_SYMBOLS_H

namespace memkit::capture {

/// The next definition of \p Name after this library's; null: none. Leaves the
/// program's dlerror state empty.
void *nextSymbol(const char *Name);

/// \p Name in the program's global scope; null: none.
void *globalSymbol(const char *Name);

/// \p Name in a loaded library, which may be outside the global scope; null: \p
/// Library is not loaded or lacks the symbol. Library null: the program with
/// what was loaded at its start.
void *symbolOfLoaded(const char *Library, const char *Name);

/// \p Name in the scope of a loaded binary (its link_map); null: none.
void *symbolOfBinary(void *LinkMap, const char *Name);

/// As symbolOfBinary, but the binary may be unloaded later: only to compare.
void *symbolSeenBy(void *LinkMap, const char *Name);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_SYMBOLS_H
