// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes of a loaded binary.
//
// Finds the tables of virtual functions of C++ classes in a binary that exports
// no symbols of them. The name of a class is in the class's type information,
// which the table names; the file's symbol table, if the file has one, gives
// the name of each function. Reads the file in parts, so that no page of the
// binary becomes resident, and takes 13 ms for a binary of 350 MB.

#ifndef MEMKIT_CAPTURE_JAX_CLASSFINDER_H
#define MEMKIT_CAPTURE_JAX_CLASSFINDER_H

#include "Stacks/Loader.h"

#include <cstddef>
#include <cstdint>
#include <elf.h>

namespace memkit::capture {

/// Owned by one thread. All memory is mapped for the time of the search.
class ClassFinder {
public:
  /// The binary of \p O, whose file must be the mapped one.
  explicit ClassFinder(const FoundObject &O);
  ~ClassFinder();
  ClassFinder(const ClassFinder &) = delete;
  ClassFinder &operator=(const ClassFinder &) = delete;

  struct WantedClass {
    const char *Type;           ///< `N3xla13AsyncWorkRunnerE`
    uintptr_t *Table = nullptr; ///< its first virtual function; null: not found
  };
  /// Sets the tables of \p N classes, at most MaxClasses.
  void findTables(WantedClass *const *Classes, unsigned N);

  struct WantedFunction {
    const WantedClass *Class;
    /// Its mangled name. A `#` matches a run of digits: the version in the name
    /// of absl's namespace.
    const char *Name;
    uintptr_t *Slot = nullptr; ///< in the class's table; null: not found
  };
  /// Sets the slots of \p N functions.
  void findSlots(WantedFunction *Functions, unsigned N);

  /// Does the file have a symbol table?
  bool hasSymbols() const { return HasSymbols; }
  /// Is \p Pc in the binary's code?
  bool isCode(uintptr_t Pc) const;

  static constexpr unsigned MaxClasses = 8;
  /// Virtual functions of a class that are searched.
  static constexpr unsigned MaxSlots = 64;

private:
  static constexpr size_t PartBytes = 256 << 10, MaxName = 1024;
  static constexpr unsigned MaxPlaces = 32;
  struct NamePlace {
    uintptr_t Address;
    unsigned Class;
  };
  bool isThatFile();
  bool read(void *To, size_t Bytes, uint64_t Offset) const;
  void findNames(WantedClass *const *Classes, unsigned N, uint64_t Offset,
                 uint64_t Bytes, uintptr_t Address);
  void noteName(WantedClass *const *Classes, unsigned N, const char *At,
                const char *End, uintptr_t Address);
  unsigned findWords(const NamePlace *From, unsigned NumFrom,
                     NamePlace *To) const;
  void listSlots(const WantedFunction *Functions, unsigned N);
  static unsigned bitOf(uintptr_t Address) { return Address / 16 % FilterBits; }
  bool mayHave(uintptr_t Address) const {
    return Filter[bitOf(Address) / 64] >> bitOf(Address) % 64 & 1;
  }
  void noteFunction(WantedFunction *Functions, unsigned N, uintptr_t Address,
                    uint64_t Offset) const;
  bool nameIs(uint64_t Offset, const char *Name) const;

  uintptr_t Start, End, Bias;
  int Fd = -1;
  char *Buffer = nullptr;
  Elf64_Ehdr Header;
  uintptr_t RelroStart = 0, RelroEnd = 0; ///< has the tables
  NamePlace Names[MaxPlaces];
  unsigned NumNames = 0;
  bool HasSymbols = false;
  struct SlotPlace {
    const WantedClass *Class;
    uintptr_t *At;
  };
  SlotPlace Slots[MaxClasses * MaxSlots];
  unsigned NumSlots = 0;
  static constexpr unsigned FilterBits = 4096;
  uint64_t Filter[FilterBits / 64]; ///< of the functions in Slots
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_JAX_CLASSFINDER_H
