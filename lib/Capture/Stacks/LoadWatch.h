// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notices the libraries that a program loads, while no stack is walked.
//
// Where blocks of the host are recorded, the frames of their stacks name the
// binaries (Source::FoundBinary). With --heap='torch.*' the first stack is that
// of the first tensor, when the first range of the program has begun without an
// observer. So while a source waits for a library, the hook of dlopen asks the
// next allocation to look at the loader's list: then the library is there,
// because its constructors allocate.

#ifndef MEMKIT_CAPTURE_STACKS_LOADWATCH_H
#define MEMKIT_CAPTURE_STACKS_LOADWATCH_H

#include <link.h>

namespace memkit::capture {

/// Waits for the library \p Name, a file name without a folder, and calls
/// \p Found once, on the thread that loads it or another one. Called by one
/// thread at a time; a child of fork goes on waiting.
void watchLoads(const char *Name, void (*Found)(const void *LinkMap));

/// Called before each dlopen while memrecWatchesLoads: threads that record
/// nothing are to call pollLoads().
void noteLoad();
/// Is pollLoads() to be called? Any thread.
bool hasLoads();
/// Looks for the library, if the loader's list is complete. Called by threads
/// that record nothing now.
void pollLoads();

} // namespace memkit::capture

/// Does a source wait for a library? Read by the hook of dlopen.
extern "C" bool memrecWatchesLoads __attribute__((visibility("hidden")));

#endif // MEMKIT_CAPTURE_STACKS_LOADWATCH_H
