// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The class of an object of Python.
//
// Reads a live object without the interpreter's lock.

#ifndef MEMKIT_CAPTURE_PYTHON_OBJECTCLASS_H
#define MEMKIT_CAPTURE_PYTHON_OBJECTCLASS_H

#include <cstdint>
#include <cstring>

namespace memkit::capture {

inline uintptr_t typeOf(uintptr_t Object) {
  constexpr unsigned TypeOffset = 8;
  return *reinterpret_cast<const volatile uintptr_t *>(Object + TypeOffset);
}

/// The name of a type, without its package and module.
inline const char *typeName(uintptr_t Type) {
  constexpr unsigned NameOffset = 24;
  auto *Name =
      *reinterpret_cast<const char *const volatile *>(Type + NameOffset);
  const char *Dot = strrchr(Name, '.');
  return Dot ? Dot + 1 : Name;
}

/// Distinguishes a live object from a dead one of another class at the same
/// address.
inline uintptr_t identityOf(uintptr_t Object) {
  return Object ^ typeOf(Object) << 16;
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_OBJECTCLASS_H
