// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of sources.
//
// A source of records (the host's heap, Python, PyTorch, NVTX, ...) has state
// of the process and of threads. A source's entry in the table has the
// functions to call when the process and its threads start and end. So Runtime
// names no source, and a new source is a folder and a line of Sources.cpp.
//
// The table is constant data: the first hook may run before any constructor.

#ifndef MEMKIT_CAPTURE_RUNTIME_SOURCE_H
#define MEMKIT_CAPTURE_RUNTIME_SOURCE_H

#include "Wire/Layout.h"

#include <cstddef>

namespace memkit::capture {

struct CallerFrame;
struct ThreadState;

/// A function of a framework that a program calls which runs already. Where the
/// program starts with this library, the loader finds the hooks by itself.
struct FrameworkHook {
  /// The file that defines the function, or its name before a version.
  const char *Library;
  const char *Name;   ///< null: the end of a list
  bool IsEnd = false; ///< ends blocks
  /// Null: the definition of the same name in this library.
  void (*Hook)() = nullptr;
};

/// Each function may be null.
struct Source {
  /// State of the process: whole pages, all zeros at the start. Fork wipes the
  /// pages, so a child starts without its parent's state.
  void *State = nullptr;
  size_t StateBytes = 0;
  /// Looks up what the program has, before the greeting, so that hooks find it
  /// although the recorder does not answer. One thread, with signals blocked.
  void (*Prepare)() = nullptr;
  /// The process becomes active. \p Fd is the shared memory, open during the
  /// call only. One thread, with signals blocked. False: the process cannot be
  /// recorded.
  bool (*Connect)(int Fd, const wire::Regions &R, wire::Control &C) = nullptr;
  /// All sources are connected. One thread, with signals blocked.
  void (*Connected)() = nullptr;
  /// The calling thread is the first with a ring in a new process, and may
  /// record. With signals blocked.
  void (*Ready)() = nullptr;
  /// The calling thread has a ring of a new process: state of the parent
  /// process is void.
  void (*StartThread)() = nullptr;
  /// The calling thread ends: free the memory of its state.
  void (*EndThread)() = nullptr;
  /// The interpreter of the process has been found, in the binary \p LinkMap.
  /// One thread at a time.
  void (*FoundInterpreter)(const void *LinkMap) = nullptr;
  /// A stack has code of a binary that was not known: its link_map. One thread
  /// at a time.
  void (*FoundBinary)(const void *LinkMap) = nullptr;
  /// The loader has mapped a binary, its link_map: no code of it has run, and
  /// no word is relocated. In the thread that loads it, with the loader's lock.
  void (*Mapped)(const void *LinkMap) = nullptr;
  /// The loader has unmapped a binary: its link_map is no more. As Mapped.
  void (*Unmapped)(const void *LinkMap) = nullptr;
  /// A stack has a frame of PyTorch's compiler that traces a function. Any
  /// thread; again in a child of fork.
  void (*FoundCompiler)() = nullptr;
  /// The calling thread is about to start a scope that the program reports.
  void (*BeforeScope)(ThreadState &T, const CallerFrame &Caller) = nullptr;
  /// The program has reported a step. Any thread, in no hook.
  void (*Stepped)() = nullptr;
  /// The functions that lead to this source in a program that ran before; the
  /// last one has no name.
  const FrameworkHook *FrameworkHooks = nullptr;
  /// The process ran before, and its calls lead to the hooks now. In the thread
  /// that memrec borrows: nothing of the program may be called.
  void (*Bound)() = nullptr;
  /// Before and after a dlopen of such a program, in its thread.
  void (*Opens)() = nullptr;
  void (*Opened)() = nullptr;
  /// The recording ends and the program goes on. As Bound.
  void (*Leave)() = nullptr;
};

/// All sources, in the order in which they connect; ends with null.
extern const Source *const Sources[];

/// Calls a function of each source, if not null.
template <class... Params, class... Args>
void forSources(void (*Source::*Fn)(Params...), Args &...A) {
  for (const Source *const *S = Sources; *S; ++S)
    if ((*S)->*Fn)
      ((*S)->*Fn)(A...);
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_SOURCE_H
