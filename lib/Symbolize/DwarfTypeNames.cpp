// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of types, from DWARF.

#include "DwarfNameWriter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace llvm::dwarf;
using namespace memkit;
using namespace memkit::dwarfnames;

static bool isTemplateParameter(Tag T) {
  return T == DW_TAG_template_type_parameter ||
         T == DW_TAG_template_value_parameter ||
         T == DW_TAG_GNU_template_parameter_pack ||
         T == DW_TAG_GNU_template_template_param;
}

bool dwarfnames::isTemplate(const DWARFDie &D) {
  return any_of(D.children(), [](const DWARFDie &C) {
    return isTemplateParameter(C.getTag());
  });
}

StringRef dwarfnames::withoutArguments(StringRef Name) {
  size_t From = 0;
  if (Name.starts_with("operator"))
    From = Name.find_first_not_of("<>=-", strlen("operator"));
  return Name.take_front(Name.find('<', From));
}

/// Replaces GCC's names of types by those of demanglers.
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

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static DWARFDie withoutTypedefs(DWARFDie D) {
  for (unsigned I = 0; I != 64 && D && D.getTag() == DW_TAG_typedef; ++I)
    D = typeOf(D);
  return D;
}

DWARFDie dwarfnames::withoutQualifiers(DWARFDie D, bool &IsConst) {
  D = withoutTypedefs(D);
  for (unsigned I = 0; I != 64 && D; ++I) {
    if (D.getTag() != DW_TAG_const_type && D.getTag() != DW_TAG_volatile_type)
      break;
    IsConst |= D.getTag() == DW_TAG_const_type;
    D = withoutTypedefs(typeOf(D));
  }
  return D;
}

/// Whether a pointer or reference to the type is written in brackets.
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
  LimitStep S(*this);
  if (!S)
    return;
  D = withoutTypedefs(D);
  typeBefore(D);
  typeAfter(D);
}

/// Writes the part of a declaration of this type before the name.
void NameWriter::typeBefore(const DWARFDie &D) {
  LimitStep S(*this);
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
  LimitStep S(*this);
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
  LimitStep S(*this);
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

/// The call operator of a closure; none for other types without a name.
static DWARFDie callOf(const DWARFDie &Class) {
  for (const DWARFDie &C : Class.children())
    if (C.getTag() == DW_TAG_subprogram && nameOf(C).starts_with("operator()"))
      return C;
  return {};
}

/// Writes lambdas and types without a name as demanglers distinguish them: by
/// signature and number, with no number for the first. GCC numbers the lambdas
/// of a function in order.
void NameWriter::unnamed(const DWARFDie &D) {
  DWARFDie Call = callOf(D);
  if (!Call) {
    Out += "'unnamed'";
    return;
  }
  unsigned Before = 0, Seen = 0;
  for (DWARFDie Other = D.getPreviousSibling(); Other && Seen != MaxEntries;
       Other = Other.getPreviousSibling(), ++Seen)
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
  LimitStep S(*this);
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

/// The suffix that a demangler writes after a number of this type; none: the
/// type is written before the number, in brackets.
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
    Out += "?"; // an address, for which DWARF has no name
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
