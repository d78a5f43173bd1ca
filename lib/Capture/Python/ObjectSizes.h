// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the memory of Python's objects lies.
//
// Reads the structures of CPython 3.8 to 3.15, whose fields below have had the
// same offsets in all these versions. With the interpreter's lock held.

#ifndef MEMKIT_CAPTURE_PYTHON_OBJECTSIZES_H
#define MEMKIT_CAPTURE_PYTHON_OBJECTSIZES_H

#include "Stacks/Exports.h"

namespace memkit::capture {

using VisitFn = int (*)(uintptr_t Object, void *Arg);
using TraverseFn = int (*)(uintptr_t Object, VisitFn Visit, void *Arg);

/// What a walk needs of a type.
struct HeldType {
  uintptr_t Type = 0;
  TraverseFn Traverse = nullptr; ///< null: the objects hold no others
  int (*IsTraced)(uintptr_t Object) = nullptr; ///< null: all are
  uint8_t Special = 0; ///< number in the list of special types, from 1
  enum class Data : uint8_t { Own, Var, Str, List, Dict, Set, Bytearray };
  Data Where = Data::Own;
};

/// The memory of an object's data: of a list its table, of most objects the
/// object itself. Bytes: about; the recorder knows better.
struct ObjectData {
  uintptr_t Address;
  uint64_t Bytes;
};

class ObjectSizes {
public:
  /// False: symbols are missing.
  bool begin(const Exports &E);
  /// Types: a tuple of types. Forgets what is known of types.
  void start(uintptr_t Types);

  /// Of the object's type; valid until the next call.
  const HeldType &typeOf(uintptr_t Object);
  ObjectData dataOf(uintptr_t Object, const HeldType &T) const;

  static uintptr_t load(uintptr_t Address) {
    return *reinterpret_cast<const uintptr_t *>(Address);
  }

private:
  HeldType look(uintptr_t Type) const;

  static constexpr uint32_t Slots = 512;
  HeldType Known[Slots];
  uintptr_t Types = 0;
  uintptr_t ByteArray = 0, Set = 0, FrozenSet = 0;
  int (*IsSubtype)(uintptr_t Type, uintptr_t Of) = nullptr;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_OBJECTSIZES_H
