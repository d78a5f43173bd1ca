//===- DwarfNames.cpp - Whole names of functions, from DWARF --------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DwarfNames.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDie.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;
using namespace memkit;
using namespace llvm::dwarf;

/// Entries that one name may look at, how deep, and its length: debug
/// information may refer to itself.
static constexpr unsigned MaxEntries = 4096;
static constexpr unsigned MaxDepth = 48;
static constexpr size_t MaxBytes = 8192;

static StringRef nameOf(const DWARFDie &D) {
  return toStringRef(D.find(DW_AT_name));
}

static bool has(const DWARFDie &D, Attribute A) {
  return toUnsigned(D.find(A), 0) != 0;
}

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

/// Where the entity was declared: in its class, or namespace.
static DWARFDie declarationOf(const DWARFDie &D) {
  DWARFDie Declared = D.getAttributeValueAsReferencedDie(DW_AT_specification);
  return Declared ? Declared : D;
}

static DWARFDie typeOf(const DWARFDie &D) {
  return D.getAttributeValueAsReferencedDie(DW_AT_type);
}

static bool isTemplateParameter(Tag T) {
  return T == DW_TAG_template_type_parameter ||
         T == DW_TAG_template_value_parameter ||
         T == DW_TAG_GNU_template_parameter_pack ||
         T == DW_TAG_GNU_template_template_param;
}

static bool isTemplate(const DWARFDie &D) {
  return any_of(D.children(), [](const DWARFDie &C) {
    return isTemplateParameter(C.getTag());
  });
}

/// Name without the template arguments that producers append.
static StringRef withoutArguments(StringRef Name) {
  size_t From = 0;
  if (Name.starts_with("operator"))
    From = Name.find_first_not_of("<>=-", strlen("operator"));
  return Name.take_front(Name.find('<', From));
}

/// GCC's names of types where a demangler has others.
static StringRef baseTypeName(StringRef Name) {
  return StringSwitch<StringRef>(Name)
      .Case("long int", "long")
      .Case("long unsigned int", "unsigned long")
      .Case("short int", "short")
      .Case("short unsigned int", "unsigned short")
      .Case("long long int", "long long")
      .Case("long long unsigned int", "unsigned long long")
      .Case("__int128 unsigned", "unsigned __int128")
      .Case("decltype(nullptr)", "std::nullptr_t")
      .Default(Name);
}

namespace {

/// Writes one name.
class NameWriter {
public:
  void function(const DWARFDie &Function);
  std::string take() {
    return Entries < MaxEntries && Out.size() < MaxBytes ? std::move(Out) : "";
  }

private:
  /// Counts one entry and one level; false when there were too many.
  class Step {
  public:
    explicit Step(NameWriter &W) : W(W) {
      ++W.Entries;
      ++W.Depth;
    }
    ~Step() { --W.Depth; }
    explicit operator bool() const {
      if (W.Depth < MaxDepth && W.Out.size() < MaxBytes)
        return W.Entries < MaxEntries;
      W.Entries = MaxEntries;
      return false;
    }

  private:
    NameWriter &W;
  };

  void scopes(const DWARFDie &D);
  void typeName(const DWARFDie &D);
  void unnamed(const DWARFDie &D);
  void arguments(const DWARFDie &D);
  void eachArgument(const DWARFDie &D, bool &First);
  void value(const DWARFDie &D);
  void type(DWARFDie D);
  void typeBefore(const DWARFDie &D);
  void typeAfter(const DWARFDie &D);
  void parameters(const DWARFDie &D);
  void qualifiers(const DWARFDie &Origin, const DWARFDie &Declared);

  std::string Out;
  unsigned Entries = 0, Depth = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static DWARFDie withoutTypedefs(DWARFDie D) {
  for (unsigned I = 0; I != 64 && D && D.getTag() == DW_TAG_typedef; ++I)
    D = typeOf(D);
  return D;
}

/// What const and volatile stand before, and whether const does.
static DWARFDie withoutQualifiers(DWARFDie D, bool &IsConst) {
  D = withoutTypedefs(D);
  for (unsigned I = 0; I != 64 && D; ++I) {
    if (D.getTag() != DW_TAG_const_type && D.getTag() != DW_TAG_volatile_type)
      break;
    IsConst |= D.getTag() == DW_TAG_const_type;
    D = withoutTypedefs(typeOf(D));
  }
  return D;
}

/// Whether a pointer or reference to it has brackets around itself.
static bool needsBrackets(const DWARFDie &D) {
  return D && (D.getTag() == DW_TAG_subroutine_type ||
               D.getTag() == DW_TAG_array_type);
}

static StringRef pointerSign(Tag T) {
  switch (T) {
  case DW_TAG_pointer_type:
    return "*";
  case DW_TAG_reference_type:
    return "&";
  case DW_TAG_rvalue_reference_type:
    return "&&";
  default:
    return "";
  }
}

void NameWriter::type(DWARFDie D) {
  Step S(*this);
  if (!S)
    return;
  D = withoutTypedefs(D);
  typeBefore(D);
  typeAfter(D);
}

/// What of a declaration of this type stands before a name.
void NameWriter::typeBefore(const DWARFDie &D) {
  Step S(*this);
  if (!S)
    return;
  if (!D) {
    Out += "void";
    return;
  }
  DWARFDie Inner = withoutTypedefs(typeOf(D));
  switch (D.getTag()) {
  case DW_TAG_const_type:
  case DW_TAG_volatile_type:
    typeBefore(Inner);
    Out += D.getTag() == DW_TAG_const_type ? " const" : " volatile";
    return;
  case DW_TAG_pointer_type:
  case DW_TAG_reference_type:
  case DW_TAG_rvalue_reference_type:
    typeBefore(Inner);
    if (needsBrackets(Inner))
      Out += " (";
    Out += pointerSign(D.getTag());
    return;
  case DW_TAG_ptr_to_member_type:
    typeBefore(Inner);
    Out += needsBrackets(Inner) ? " (" : " ";
    typeBefore(D.getAttributeValueAsReferencedDie(DW_AT_containing_type));
    Out += "::*";
    return;
  case DW_TAG_subroutine_type:
  case DW_TAG_array_type:
    typeBefore(Inner);
    return;
  case DW_TAG_base_type:
  case DW_TAG_unspecified_type:
    Out += baseTypeName(nameOf(D));
    return;
  default:
    typeName(D);
  }
}

void NameWriter::typeAfter(const DWARFDie &D) {
  Step S(*this);
  if (!S || !D)
    return;
  DWARFDie Inner = withoutTypedefs(typeOf(D));
  switch (D.getTag()) {
  case DW_TAG_pointer_type:
  case DW_TAG_reference_type:
  case DW_TAG_rvalue_reference_type:
  case DW_TAG_ptr_to_member_type:
    if (needsBrackets(Inner))
      Out += Inner.getTag() == DW_TAG_array_type ? ") " : ")";
    break;
  case DW_TAG_subroutine_type:
    parameters(D);
    break;
  case DW_TAG_array_type:
    for (const DWARFDie &C : D.children())
      if (C.getTag() == DW_TAG_subrange_type) {
        uint64_t Last = toUnsigned(C.find(DW_AT_upper_bound), ~0ull);
        Out += Last == ~0ull ? "[]" : "[" + utostr(Last + 1) + "]";
      }
    break;
  case DW_TAG_const_type:
  case DW_TAG_volatile_type:
    break;
  default:
    return;
  }
  typeAfter(Inner);
}

/// `ns::Class<int>`
void NameWriter::typeName(const DWARFDie &D) {
  Step S(*this);
  if (!S)
    return;
  DWARFDie Declared = declarationOf(D);
  scopes(Declared);
  StringRef Name = nameOf(D);
  if (Name.empty())
    Name = nameOf(Declared);
  if (Name.empty() || Name.starts_with("<"))
    unnamed(D);
  else if (isTemplate(D)) {
    Out += withoutArguments(Name);
    arguments(D);
  } else
    Out += Name;
}

/// What a closure calls; none for another type without a name.
static DWARFDie callOf(const DWARFDie &Class) {
  for (const DWARFDie &C : Class.children())
    if (C.getTag() == DW_TAG_subprogram && nameOf(C).starts_with("operator()"))
      return C;
  return {};
}

/// Lambdas and types without a name, as demanglers tell them apart: by
/// signature and number, of which the first has none. GCC numbers the lambdas
/// of a function in their order.
void NameWriter::unnamed(const DWARFDie &D) {
  DWARFDie Call = callOf(D);
  if (!Call) {
    Out += "'unnamed'";
    return;
  }
  unsigned Before = 0;
  for (DWARFDie Other = D.getPreviousSibling(); Other;
       Other = Other.getPreviousSibling())
    Before += Other.getTag() == D.getTag() && nameOf(Other).empty() &&
              bool(callOf(Other));
  Out += "'lambda";
  if (Before)
    Out += utostr(Before - 1);
  Out += "'";
  parameters(Call);
}

//===----------------------------------------------------------------------===//
// Template arguments
//===----------------------------------------------------------------------===//

void NameWriter::arguments(const DWARFDie &D) {
  bool First = true;
  Out += '<';
  eachArgument(D, First);
  Out += '>';
}

void NameWriter::eachArgument(const DWARFDie &D, bool &First) {
  Step S(*this);
  if (!S)
    return;
  for (const DWARFDie &C : D.children()) {
    if (!isTemplateParameter(C.getTag()))
      continue;
    if (C.getTag() == DW_TAG_GNU_template_parameter_pack) {
      eachArgument(C, First);
      continue;
    }
    if (!std::exchange(First, false))
      Out += ", ";
    if (C.getTag() == DW_TAG_template_type_parameter)
      type(typeOf(C));
    else if (C.getTag() == DW_TAG_template_value_parameter)
      value(C);
    else
      Out += toStringRef(C.find(DW_AT_GNU_template_name));
  }
}

/// What a demangler writes behind a number of this type; none: the type goes
/// before it, in brackets.
static std::optional<StringRef> literalSuffix(StringRef Type) {
  return StringSwitch<std::optional<StringRef>>(Type)
      .Case("int", "")
      .Case("unsigned int", "u")
      .Case("long", "l")
      .Case("unsigned long", "ul")
      .Case("long long", "ll")
      .Case("unsigned long long", "ull")
      .Default(std::nullopt);
}

void NameWriter::value(const DWARFDie &D) {
  std::optional<DWARFFormValue> V = D.find(DW_AT_const_value);
  std::optional<int64_t> Signed = V ? V->getAsSignedConstant() : std::nullopt;
  std::optional<uint64_t> Number =
      V ? V->getAsUnsignedConstant() : std::nullopt;
  if (!Number && !Signed) {
    Out += "?"; // an address, of which DWARF says no name
    return;
  }
  bool IsConst = false;
  DWARFDie Type = withoutQualifiers(typeOf(D), IsConst);
  StringRef Name = Type ? baseTypeName(nameOf(Type)) : StringRef();
  std::string Text = Number ? utostr(*Number) : itostr(*Signed);
  std::optional<StringRef> Suffix = literalSuffix(Name);
  if (Name == "bool") {
    Out += Text == "0" ? "false" : "true";
    return;
  }
  if (!Suffix) {
    Out += '(';
    type(Type);
    Out += ')';
  }
  Out += Text;
  Out += Suffix.value_or("");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// `ns::(anonymous namespace)::Class::`
void NameWriter::scopes(const DWARFDie &D) {
  Step S(*this);
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
    bool IsRest = C.getTag() == DW_TAG_unspecified_parameters;
    if (!IsRest &&
        (C.getTag() != DW_TAG_formal_parameter || has(C, DW_AT_artificial)))
      continue;
    if (!std::exchange(First, false))
      Out += ", ";
    bool IsConst = false;
    if (IsRest)
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

/// Whether its mangled name has no type of a result: constructors, destructors
/// and conversions.
static bool hasNoResult(StringRef Name, const DWARFDie &Declared) {
  DWARFDie Class = Declared.getParent();
  bool IsMember = Class && Class.getTag() != DW_TAG_namespace;
  return Name.starts_with("operator ") || Name.starts_with("~") ||
         (IsMember && withoutArguments(nameOf(Class)) == Name);
}

void NameWriter::function(const DWARFDie &Function) {
  Step S(*this);
  DWARFDie Origin = originOf(Function);
  if (!S || !Origin)
    return;
  if (const char *Linkage = Origin.getLinkageName()) {
    Out += demangle(Linkage);
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
