// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of a loaded binary that name functions of other binaries.

#ifndef MEMKIT_CAPTURE_STACKS_IMPORTS_H
#define MEMKIT_CAPTURE_STACKS_IMPORTS_H

#include <cstdint>
#include <link.h>

namespace memkit::capture {

/// A word that the loader sets to the address of an imported symbol.
struct Import {
  const char *Name;
  uintptr_t *At;
  bool IsCall; ///< of calls: until the first one, the word may lead to code of
               ///< the binary itself, which asks the loader
  const Elf64_Sym *Symbol;

  /// Null if no binary defines the symbol.
  bool isWeak() const {
    return ELF64_ST_BIND(Symbol->st_info) == STB_WEAK &&
           Symbol->st_shndx == SHN_UNDEF;
  }
};

class Imports;

/// A byte for each symbol of a binary, in one mapping for several binaries.
class NameMemo {
public:
  NameMemo() = default;
  ~NameMemo();
  NameMemo(const NameMemo &) = delete;
  NameMemo &operator=(const NameMemo &) = delete;
  /// All zeros, for the symbols of another binary.
  void begin(const Imports &Of);
  /// Null: there is no memory.
  uint8_t *of(const Import &I) const {
    return Bytes ? Bytes + (I.Symbol - First) : nullptr;
  }

private:
  const Elf64_Sym *First = nullptr;
  size_t Room = 0;
  uint8_t *Bytes = nullptr;
};

/// The imports of a binary, as its dynamic section lists them. The binary must
/// stay loaded.
class Imports {
public:
  explicit Imports(const void *LinkMap);

  /// Calls F(const Import &) for each import.
  template <typename Fn> void each(Fn F) const {
    for (const Relocations &T : Tables)
      for (const Elf64_Rela *R = T.Begin; R != T.End; ++R)
        if (Import I; read(*R, I))
          F(I);
  }

  /// Calls F(const Import &) for each import whose name Wants(const char *)
  /// accepts. Of a binary with millions of imports each name is asked for once.
  template <typename Fn, typename Filter>
  void eachWanted(NameMemo &Memo, Filter Wants, Fn F) const {
    Memo.begin(*this);
    each([&](const Import &I) {
      uint8_t *Is = Memo.of(I), Now = Is ? *Is : 0;
      if (!Now)
        Now = Wants(I.Name) ? 2 : 1;
      if (Is)
        *Is = Now;
      if (Now == 2)
        F(I);
    });
  }

private:
  friend class NameMemo;
  struct Relocations {
    const Elf64_Rela *Begin = nullptr, *End = nullptr;
  };
  bool read(const Elf64_Rela &R, Import &To) const;

  uintptr_t Bias;
  const Elf64_Sym *Symbols = nullptr;
  const char *Strings = nullptr;
  size_t StringBytes = 0;
  Relocations Tables[2]; ///< calls; other words
};

/// The word through which a binary calls the imported function \p Name; null:
/// the binary does not call the function.
uintptr_t *importSlot(const void *LinkMap, const char *Name);

/// Removes the name of an import of a binary that has been mapped and is not
/// relocated, so that the loader finds no definition. False: the kernel
/// refuses.
bool unnameImport(const link_map &Of, const Import &I);

/// Whether the word of a call has not been used yet: it leads into the binary.
bool isUnbound(const Import &I, const link_map *Of);

/// The right to call setWord(): two threads may unseal the same page. False: no
/// turn came within a second, as in a child of fork that lacks the thread that
/// had the turn.
class BindingTurn {
public:
  BindingTurn();
  ~BindingTurn();
  BindingTurn(const BindingTurn &) = delete;
  BindingTurn &operator=(const BindingTurn &) = delete;
  explicit operator bool() const { return HasTurn; }

private:
  bool HasTurn = false;
};

/// Sets a word of a binary, which the loader may have made read-only. False:
/// the kernel refuses. Other threads may read the word at the same time.
bool setWord(const void *LinkMap, uintptr_t *At, uintptr_t Value);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_IMPORTS_H
