// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the memory of Python's objects lies.

#include "ObjectSizes.h"

using namespace memkit;
using namespace memkit::capture;
using Data = HeldType::Data;

namespace {
/// Offsets of objects, in bytes.
enum ObjectOffset : uintptr_t {
  AtType = 8,
  AtSize = 16, ///< of objects with items; of str the length
  // PyTypeObject
  AtBasicSize = 32,
  AtItemSize = 40,
  AtFlags = 168,
  AtTraverse = 184,
  AtIsTraced = 328,
  // list
  AtItems = 24,
  AtRoom = 32,
  // dict
  AtKeys = 32,
  AtValues = 40,
  // set
  AtMask = 32,
  AtTable = 40,
  AtSmallTable = 64,
  // bytearray
  AtAllocated = 24,
  AtBytes = 32,
};
} // namespace

/// Bits of a type's flags.
static constexpr uintptr_t IsTracedType = 1u << 14, IsInt = 1u << 24,
                           IsList = 1u << 25, IsStr = 1u << 28,
                           IsDict = 1u << 29;
static constexpr uint64_t MaxItems = uint64_t(1) << 40;

bool ObjectSizes::begin(const Exports &E) {
  return E.find("PyByteArray_Type", ByteArray) && E.find("PySet_Type", Set) &&
         E.find("PyFrozenSet_Type", FrozenSet) &&
         E.find("PyType_IsSubtype", IsSubtype);
}

void ObjectSizes::start(uintptr_t T) {
  Types = T;
  for (HeldType &K : Known)
    K = {};
}

const HeldType &ObjectSizes::typeOf(uintptr_t Object) {
  uintptr_t Type = load(Object + AtType);
  HeldType &K = Known[(Type >> 4 ^ Type >> 12) % Slots];
  if (__builtin_expect(K.Type != Type, 0))
    K = look(Type);
  return K;
}

HeldType ObjectSizes::look(uintptr_t Type) const {
  HeldType K;
  K.Type = Type;
  uintptr_t Flags = load(Type + AtFlags);
  if (Flags & IsTracedType) {
    K.Traverse = reinterpret_cast<TraverseFn>(load(Type + AtTraverse));
    K.IsTraced = reinterpret_cast<int (*)(uintptr_t)>(load(Type + AtIsTraced));
  }
  for (uintptr_t I = 0, N = load(Types + AtSize); I != N && I < 255; ++I)
    if (!K.Special && IsSubtype(Type, load(Types + 24 + 8 * I)))
      K.Special = uint8_t(I + 1);
  if (Flags & IsList)
    K.Where = Data::List;
  else if (Flags & IsDict)
    K.Where = Data::Dict;
  else if (Flags & IsStr)
    K.Where = Data::Str;
  else if (IsSubtype(Type, ByteArray))
    K.Where = Data::Bytearray;
  else if (IsSubtype(Type, Set) || IsSubtype(Type, FrozenSet))
    K.Where = Data::Set;
  else if (load(Type + AtItemSize) && !(Flags & IsInt))
    K.Where = Data::Var;
  return K;
}

static uint64_t numberAt(uintptr_t At) {
  uint64_t N = ObjectSizes::load(At);
  return N < MaxItems ? N : 0;
}

ObjectData ObjectSizes::dataOf(uintptr_t O, const HeldType &T) const {
  ObjectData Own = {O, numberAt(T.Type + AtBasicSize)};
  switch (T.Where) {
  case Data::Own:
    break;
  case Data::Var:
    Own.Bytes += numberAt(O + AtSize) * numberAt(T.Type + AtItemSize);
    break;
  case Data::Str:
    Own.Bytes += numberAt(O + AtSize);
    break;
  case Data::List:
    if (load(O + AtItems))
      return {load(O + AtItems), 8 * numberAt(O + AtRoom)};
    break;
  case Data::Dict:
    // Instances of a class share keys.
    if (!load(O + AtValues))
      return {load(O + AtKeys), 48 * numberAt(O + AtSize)};
    break;
  case Data::Set:
    if (load(O + AtTable) != O + AtSmallTable)
      return {load(O + AtTable), 16 * (numberAt(O + AtMask) + 1)};
    break;
  case Data::Bytearray:
    if (load(O + AtBytes))
      return {load(O + AtBytes), numberAt(O + AtAllocated)};
    break;
  }
  return Own;
}
