// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The __dict__ of an object of Python.
//
// What an instance has in its __dict__, read without the interpreter's lock.
// Another thread may change the dict meanwhile, so that it is read by way of
// the kernel, which says where there is no memory; what is read then may be
// anything, and is only to be compared.
//
// The layouts are those of CPython's Include/cpython/dictobject.h (Objects/
// dict-common.h up to 3.10) and Include/internal/pycore_dict.h.

#ifndef MEMKIT_CAPTURE_TORCH_INSTANCEDICT_H
#define MEMKIT_CAPTURE_TORCH_INSTANCEDICT_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memkit::capture {

class InstanceDict {
public:
  /// The values of a dict, the first ones.
  struct Values {
    uintptr_t Words[64];
    unsigned Count = 0;
    bool has(uintptr_t Value) const;
  };

  /// Finds out where instances of \p Object's kind have their __dict__, which
  /// is \p Dict of it and has the value \p Known. \p Minor: of the
  /// interpreter's version 3. With the interpreter's lock held.
  void learn(uintptr_t Object, uintptr_t Dict, uintptr_t Known, unsigned Minor);
  /// Whether read() can be called: once one could be learned from.
  bool isKnown() const { return Offset.load(std::memory_order_acquire); }

  /// The values that a live object has in its __dict__, none where it has no
  /// such. Any thread; two or three system calls.
  Values read(uintptr_t Object) const;

private:
  std::atomic<int> Offset{0}; ///< bytes from the object; 0: not known
  unsigned Minor = 0;         ///< good once Offset is known
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_INSTANCEDICT_H
