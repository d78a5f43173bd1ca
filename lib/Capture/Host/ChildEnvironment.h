// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The environment of a new program.
//
// Adds the recorder's variables to the environment of a new program, or removes
// them if children are not followed, the environment has MEMREC_FOLLOW=0, or
// the program would not survive the library.

#ifndef MEMKIT_CAPTURE_HOST_CHILDENVIRONMENT_H
#define MEMKIT_CAPTURE_HOST_CHILDENVIRONMENT_H

#include "Runtime/Process.h"

namespace memkit::capture {

/// The changes that an environment needs. Copies no string except LD_PRELOAD.
class ChildEnvironment {
public:
  /// \p Preloadable: the program may be recorded. An \p Env without memory,
  /// which the kernel reports, stays unchanged.
  ChildEnvironment(char *const *Env, bool Preloadable);

  /// Can \p Env be used unchanged?
  bool unchanged() const { return Same; }
  /// The size of build()'s Room in bytes.
  size_t bytes() const;
  /// The new environment, in \p Room.
  char **build(void *Room) const;

private:
  char *const *Env;
  size_t Count = 0;              ///< entries of Env
  const char *Preload = nullptr; ///< the value of its LD_PRELOAD
  bool Follow = false;
  /// By InjectionVars: Env has an entry of another library, which stays.
  bool HasOther[NumInjections + 1] = {};
  bool Same = true;

  size_t copyPreload(char *To) const;
  bool gives(unsigned I) const;
};

/// Removes the recorder's variables from this process's own environment, for
/// functions that start programs without memkit's hooks (system, popen). Called
/// by the constructor, before there are threads.
void leaveEnvironment();

/// Memory for an environment, for a call that may not return. The caller may be
/// a child of vfork, which shares all memory with the thread that made it, and
/// which nobody sees end: the thread's next call takes what the child has left.
class EnvironmentRoom {
public:
  explicit EnvironmentRoom(size_t Bytes);
  ~EnvironmentRoom();
  EnvironmentRoom(const EnvironmentRoom &) = delete;
  EnvironmentRoom &operator=(const EnvironmentRoom &) = delete;

  void *at() const { return Room; } ///< null: no memory

private:
  void *Room = nullptr;
  size_t Bytes;
};

/// Calls \p Call with the environment for a new program. Does not use malloc:
/// the caller may be a child of vfork. Needs little stack.
template <typename Fn>
auto withChildEnvironment(char *const *Env, bool Preloadable, Fn Call) {
  ChildEnvironment C(Env, Preloadable);
  if (C.unchanged())
    return Call(Env);
  EnvironmentRoom Room(C.bytes());
  return Call(Room.at() ? static_cast<char *const *>(C.build(Room.at())) : Env);
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_CHILDENVIRONMENT_H
