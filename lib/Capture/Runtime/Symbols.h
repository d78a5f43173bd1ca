// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looking up symbols.
//
// Looking up what stands behind this library, without a trace in the program.

#ifndef MEMKIT_CAPTURE_RUNTIME_SYMBOLS_H
#define MEMKIT_CAPTURE_RUNTIME_SYMBOLS_H

namespace memkit::capture {

/// The next definition of \p Name after this library's; null: there is none.
/// The program's dlerror state is left empty.
void *nextSymbol(const char *Name);

/// \p Name as the program's global scope has it; null: it has none.
void *globalSymbol(const char *Name);

/// \p Name as a library that is already loaded has it, though it may not be in
/// the global scope; null: \p Library is not loaded or has none.
void *symbolOfLoaded(const char *Library, const char *Name);

/// \p Name in the scope of a loaded binary (its link_map); null: not there.
void *symbolOfBinary(void *LinkMap, const char *Name);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_SYMBOLS_H
