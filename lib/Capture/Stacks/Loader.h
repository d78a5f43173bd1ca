// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the dynamic loader knows.

#ifndef MEMKIT_CAPTURE_STACKS_LOADER_H
#define MEMKIT_CAPTURE_STACKS_LOADER_H

#include <cstdint>
#include <link.h>

namespace memkit::capture {

/// glibc's answer to _dl_find_object (2.35 and newer).
struct FoundObject {
  unsigned long long Flags;
  void *MapStart;
  void *MapEnd;
  void *LinkMap;
  void *EhFrame;
  unsigned long long Reserved[7];
};
using FindObjectFn = int (*)(void *Pc, FoundObject *Result);

/// Looked up when the process first connects; children of fork go on with it.
struct LoaderState {
  FindObjectFn FindObject; ///< glibc's, or ours; null: neither is possible
  r_debug *Lists;          ///< null: FindObject is glibc's own
  uintptr_t StackEnd;      ///< of the process's first stack; 0: not known
  /// The loader's code: a call from there to free frees a link_map.
  uintptr_t Start;
  uintptr_t Bytes;

  /// What the loader knows of the binary that owns \p Pc. False: no binary
  /// does. Any thread, any signal handler; no lock.
  bool find(uintptr_t Pc, FoundObject &To) const {
    return FindObject && FindObject(reinterpret_cast<void *>(Pc), &To) == 0;
  }
};
extern LoaderState Loader;

/// Looks all of it up, once in a program.
void askLoader();

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_LOADER_H
