// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbols that a loaded binary exports.
//
// Reads a loaded binary's dynamic symbols in memory. dlsym would wait for the
// loader's lock. A thread in a constructor may hold that lock while waiting for
// the interpreter; this class waits for nothing.

#ifndef MEMKIT_CAPTURE_STACKS_EXPORTS_H
#define MEMKIT_CAPTURE_STACKS_EXPORTS_H

#include <cstdint>
#include <elf.h>

namespace memkit::capture {

class Exports {
public:
  /// \p LinkMap: the binary's; must stay loaded meanwhile.
  explicit Exports(const void *LinkMap);

  /// The address of the definition of \p Name; 0: none.
  uintptr_t find(const char *Name) const;

  template <typename T> bool find(const char *Name, T &To) const {
    uintptr_t At = find(Name);
    To = reinterpret_cast<T>(At);
    return At;
  }

  /// Whether any symbol's name ends with \p End, that of an import too.
  bool hasNameEnd(const char *End) const;

private:
  uintptr_t findGnu(const char *Name) const;
  uintptr_t findOld(const char *Name) const;
  uintptr_t matches(uint32_t I, const char *Name) const;

  uintptr_t Bias = 0;
  const Elf64_Sym *Symbols = nullptr;
  const char *Strings = nullptr;
  uint64_t StringBytes = 0;
  const uint32_t *GnuHash = nullptr;
  const uint32_t *OldHash = nullptr;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_EXPORTS_H
