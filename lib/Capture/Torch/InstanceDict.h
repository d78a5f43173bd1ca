// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The __dict__ of an object of Python.
//
// Reads the values of an instance's __dict__ without the interpreter's lock.
// Another thread may change the dict at the same time, so the kernel reads the
// memory and reports addresses without memory. The words read may be anything:
// only compare them.
//
// The layouts are those of CPython's Include/cpython/dictobject.h
// (Objects/dict-common.h up to 3.10) and Include/internal/pycore_dict.h.

#ifndef MEMKIT_CAPTURE_TORCH_INSTANCEDICT_H
#define MEMKIT_CAPTURE_TORCH_INSTANCEDICT_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memkit::capture {

class InstanceDict {
public:
  /// The first values of a dict.
  struct Values {
    uintptr_t Words[64];
    unsigned Count = 0;
    bool has(uintptr_t Value) const;
  };

  /// Finds the offset of the __dict__ in instances of \p Object's kind. \p
  /// Dict: the __dict__ of \p Object, with the value \p Known. \p Minor: of the
  /// interpreter's version 3. With the interpreter's lock held.
  void learn(uintptr_t Object, uintptr_t Dict, uintptr_t Known, unsigned Minor);
  /// Is the offset known, so that read() can be called?
  bool isKnown() const { return Offset.load(std::memory_order_acquire); }

  /// The values of a live object's __dict__; none if the object has no such
  /// dict. Any thread; two or three system calls.
  Values read(uintptr_t Object) const;

private:
  std::atomic<int> Offset{0}; ///< bytes from the object; 0: not known
  unsigned Minor = 0;         ///< valid once Offset is known
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_INSTANCEDICT_H
