// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes one name from DWARF.

#ifndef MEMKIT_LIB_SYMBOLIZE_DWARFNAMEWRITER_H
#define MEMKIT_LIB_SYMBOLIZE_DWARFNAMEWRITER_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/DebugInfo/DWARF/DWARFDie.h"
#include <string>

namespace memkit::dwarfnames {

using llvm::DWARFDie;
using llvm::StringRef;

inline StringRef nameOf(const DWARFDie &D) {
  return llvm::dwarf::toStringRef(D.find(llvm::dwarf::DW_AT_name));
}

inline bool has(const DWARFDie &D, llvm::dwarf::Attribute A) {
  return llvm::dwarf::toUnsigned(D.find(A), 0) != 0;
}

inline DWARFDie typeOf(const DWARFDie &D) {
  return D.getAttributeValueAsReferencedDie(llvm::dwarf::DW_AT_type);
}

/// The declaration of an entity in its class or namespace.
inline DWARFDie declarationOf(const DWARFDie &D) {
  DWARFDie Declared =
      D.getAttributeValueAsReferencedDie(llvm::dwarf::DW_AT_specification);
  return Declared ? Declared : D;
}

/// Name without the template arguments that producers append.
StringRef withoutArguments(StringRef Name);

/// Whether a class or function has template arguments.
bool isTemplate(const DWARFDie &D);

/// The type without const and volatile; sets IsConst if const was removed.
DWARFDie withoutQualifiers(DWARFDie D, bool &IsConst);

/// Writes one name as LLVM's demangler would write it.
class NameWriter {
public:
  void function(const DWARFDie &Function);
  /// The name; empty if the name was too long, or refers to itself.
  std::string take() {
    return Entries < MaxEntries && Out.size() < MaxBytes ? std::move(Out) : "";
  }

private:
  /// Limits of one name: entries visited, depth and length.
  static constexpr unsigned MaxEntries = 4096;
  static constexpr unsigned MaxDepth = 48;
  static constexpr size_t MaxBytes = 8192;

  /// Counts one entry and one level; false beyond a limit.
  class LimitStep {
  public:
    explicit LimitStep(NameWriter &W) : W(W) {
      ++W.Entries;
      ++W.Depth;
    }
    ~LimitStep() { --W.Depth; }
    explicit operator bool() const {
      if (W.Depth < MaxDepth && W.Out.size() < MaxBytes)
        return W.Entries < MaxEntries;
      W.Entries = MaxEntries;
      return false;
    }

  private:
    NameWriter &W;
  };

  // DwarfTypeNames.cpp
  void typeName(const DWARFDie &D);
  void unnamed(const DWARFDie &D);
  void arguments(const DWARFDie &D);
  void eachArgument(const DWARFDie &D, bool &First);
  void value(const DWARFDie &D);
  void type(DWARFDie D);
  void typeBefore(const DWARFDie &D);
  void typeAfter(const DWARFDie &D);
  // DwarfNames.cpp
  void scopes(const DWARFDie &D);
  void parameters(const DWARFDie &D);
  void qualifiers(const DWARFDie &Origin, const DWARFDie &Declared);

  std::string Out;
  unsigned Entries = 0, Depth = 0;
};

} // namespace memkit::dwarfnames

#endif // MEMKIT_LIB_SYMBOLIZE_DWARFNAMEWRITER_H
