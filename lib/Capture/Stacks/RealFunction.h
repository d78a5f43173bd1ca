// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A framework's own functions behind hooks of the same names.
//
// The loader binds a framework's calls and tables of virtual functions to the
// definitions of this library, so a hook finds the real function by the name of
// the library that defines it. Children of fork keep the addresses: another
// thread of the parent may have held the loader's lock at the fork.

#ifndef MEMKIT_CAPTURE_STACKS_REALFUNCTION_H
#define MEMKIT_CAPTURE_STACKS_REALFUNCTION_H

#include <atomic>
#include <cstdint>

namespace memkit::capture {

/// The definition of \p Name in a loaded \p Library, else in the binary of the
/// code at \p Caller or its dependencies. Never null: the framework has called
/// a hook of that name, so the name has a definition.
void *findReal(const char *Library, const char *Name, uintptr_t Caller);

template <class Fn> class RealFunction {
public:
  constexpr RealFunction(const char *Library, const char *Name)
      : Library(Library), Name(Name) {}

  /// \p Caller: the return address of the hook.
  Fn get(uintptr_t Caller) {
    Fn F = Found.load(std::memory_order_acquire);
    if (__builtin_expect(F != nullptr, 1))
      return F;
    F = reinterpret_cast<Fn>(findReal(Library, Name, Caller));
    Found.store(F, std::memory_order_release);
    return F;
  }

private:
  const char *Library, *Name;
  std::atomic<Fn> Found{nullptr};
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_REALFUNCTION_H
