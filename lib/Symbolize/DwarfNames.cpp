// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole names of functions, from DWARF.

#include "DwarfNames.h"
#include "DemangledName.h"
#include "DwarfNameWriter.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"

using namespace llvm;
using namespace llvm::dwarf;
using namespace memkit;
using namespace memkit::dwarfnames;

/// The entry of the function itself, for an inlined or out-of-line copy.
static DWARFDie originOf(DWARFDie D) {
  for (unsigned I = 0; I != 8 && D; ++I) {
    DWARFDie Next = D.getAttributeValueAsReferencedDie(DW_AT_abstract_origin);
    if (!Next)
      break;
    D = Next;
  }
  return D;
}

/// `ns::(anonymous namespace)::Class::`
void NameWriter::scopes(const DWARFDie &D) {
  LimitStep S(*this);
  if (!S)
    return;
  DWARFDie Scope = D.getParent();
  while (Scope && Scope.getTag() == DW_TAG_lexical_block)
    Scope = Scope.getParent();
  if (!Scope)
    return;
  switch (Scope.getTag()) {
  case DW_TAG_namespace:
    scopes(Scope);
    Out += nameOf(Scope).empty() ? "(anonymous namespace)" : nameOf(Scope);
    break;
  case DW_TAG_class_type:
  case DW_TAG_structure_type:
  case DW_TAG_union_type:
  case DW_TAG_enumeration_type:
    typeName(Scope);
    break;
  case DW_TAG_subprogram:
  case DW_TAG_inlined_subroutine:
    function(Scope);
    break;
  default:
    return;
  }
  Out += "::";
}

/// `(int, char const*)`
void NameWriter::parameters(const DWARFDie &D) {
  bool First = true;
  Out += '(';
  for (const DWARFDie &C : D.children()) {
    bool IsRemainder = C.getTag() == DW_TAG_unspecified_parameters;
    if (!IsRemainder &&
        (C.getTag() != DW_TAG_formal_parameter || has(C, DW_AT_artificial)))
      continue;
    if (!std::exchange(First, false))
      Out += ", ";
    bool IsConst = false;
    if (IsRemainder)
      Out += "...";
    else
      type(withoutQualifiers(typeOf(C), IsConst));
  }
  Out += ')';
}

/// ` const &`, of member functions.
void NameWriter::qualifiers(const DWARFDie &Origin, const DWARFDie &Declared) {
  DWARFDie This;
  for (const DWARFDie &D : {Declared, Origin})
    if (!This)
      This = D.getAttributeValueAsReferencedDie(DW_AT_object_pointer);
  if (!This)
    return;
  bool IsConst = false;
  DWARFDie Pointer = withoutQualifiers(typeOf(This), IsConst);
  IsConst = false;
  if (Pointer && Pointer.getTag() == DW_TAG_pointer_type)
    withoutQualifiers(typeOf(Pointer), IsConst);
  Out += IsConst ? " const" : "";
  if (has(Declared, DW_AT_reference))
    Out += " &";
  else if (has(Declared, DW_AT_rvalue_reference))
    Out += " &&";
}

/// Whether the mangled name of a function has no result type: constructors,
/// destructors and conversions.
static bool hasNoResult(StringRef Name, const DWARFDie &Declared) {
  DWARFDie Class = Declared.getParent();
  bool IsMember = Class && Class.getTag() != DW_TAG_namespace;
  return Name.starts_with("operator ") || Name.starts_with("~") ||
         (IsMember && withoutArguments(nameOf(Class)) == Name);
}

void NameWriter::function(const DWARFDie &Function) {
  LimitStep S(*this);
  DWARFDie Origin = originOf(Function);
  if (!S || !Origin)
    return;
  if (const char *Linkage = Origin.getLinkageName()) {
    Out += demangledName(Linkage);
    return;
  }
  DWARFDie Declared = declarationOf(Origin);
  StringRef Name = Origin.getShortName() ? Origin.getShortName() : "";
  if (has(Declared, DW_AT_external)) { // extern "C", or main
    Out += Name;
    return;
  }
  bool IsTemplate = isTemplate(Origin) || isTemplate(Declared);
  StringRef Plain = IsTemplate ? withoutArguments(Name) : Name;
  if (IsTemplate && !hasNoResult(Plain, Declared)) {
    type(typeOf(Declared));
    Out += ' ';
  }
  scopes(Declared);
  Out += Plain;
  if (IsTemplate)
    arguments(isTemplate(Origin) ? Origin : Declared);
  parameters(Declared);
  qualifiers(Origin, Declared);
}

std::string memkit::wholeName(const DWARFDie &Function) {
  DWARFDie Origin = originOf(Function);
  if (!Origin || !Origin.getShortName() || Origin.getLinkageName() ||
      has(declarationOf(Origin), DW_AT_external))
    return "";
  NameWriter W;
  W.function(Origin);
  return W.take();
}

static bool isCxx(DWARFCompileUnit &Unit) {
  uint64_t Language =
      toUnsigned(Unit.getUnitDIE().find(DW_AT_language), uint64_t(0));
  return isCPlusPlus(SourceLanguage(Language));
}

std::vector<std::string> memkit::wholeNamesAt(DWARFContext &Context,
                                              uint64_t Address) {
  std::vector<std::string> Names;
  DWARFCompileUnit *Unit = Context.getCompileUnitForCodeAddress(Address);
  if (!Unit || !isCxx(*Unit))
    return Names;
  SmallVector<DWARFDie, 8> Chain;
  Unit->getInlinedChainForAddress(Address, Chain);
  for (const DWARFDie &D : Chain)
    Names.push_back(wholeName(D));
  return Names;
}
