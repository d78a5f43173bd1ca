// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers of the dynamic loader.

#ifndef MEMKIT_CAPTURE_STACKS_LOADER_H
#define MEMKIT_CAPTURE_STACKS_LOADER_H

#include <cstdint>
#include <link.h>

namespace memkit::capture {

/// The result of glibc's _dl_find_object (2.35 and newer).
struct FoundObject {
  unsigned long long Flags;
  void *MapStart;
  void *MapEnd;
  void *LinkMap;
  void *EhFrame;
  unsigned long long Reserved[7];
};
using FindObjectFn = int (*)(void *Pc, FoundObject *Result);

/// Looked up when the process first connects; children of fork keep the values.
struct LoaderState {
  FindObjectFn FindObject; ///< glibc's, or memkit's; null: neither is possible
  r_debug *Lists;          ///< null: FindObject is glibc's own
  uintptr_t StackEnd;      ///< of the process's first stack; 0: unknown
  /// The loader's code: a call of free from there may free a link_map.
  uintptr_t Start;
  uintptr_t Bytes;

  /// The loader's description of the binary that owns \p Pc. False: no binary.
  /// Any thread, any signal handler; no lock.
  bool find(uintptr_t Pc, FoundObject &To) const {
    return FindObject && FindObject(reinterpret_cast<void *>(Pc), &To) == 0;
  }
};
extern LoaderState Loader;

/// Looks up all members, once in a program. InList: finds an object in
/// LoaderState::Lists, for a glibc that cannot.
void askLoader(FindObjectFn InList);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_LOADER_H
