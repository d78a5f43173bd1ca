// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of PJRT's C interface that memkit uses.
//
// A plugin for a device (CUDA, TPU, ...) gives a table of functions; each takes
// the address of a struct of arguments and results. Tables and structs only
// grow at their ends within major version 0: the places are the same in 0.40
// and 0.90. A struct begins with its size and an address of extensions.

#ifndef MEMKIT_CAPTURE_JAX_PJRTAPI_H
#define MEMKIT_CAPTURE_JAX_PJRTAPI_H

#include <cstddef>
#include <cstdint>

namespace memkit::capture::pjrt {

/// Null: success; else an error, which the caller destroys.
using PjrtFunction = void *(*)(void *Arguments);

/// A table, in words.
enum TableWord : unsigned {
  SizeWord = 0,
  MajorWord = 4, ///< two 32-bit numbers: major, minor
  ErrorDestroy = 5,
  ClientCreate = 15,
  ClientPlatformName = 17,
  BufferFromHostBuffer = 27,
  DescriptionId = 28,
  DeviceDescription = 34,
  ExecutableDestroy = 45,
  ExecutableNumOutputs = 49,
  LoadedExecutable = 56, ///< the executable in a loaded one
  Execute = 60,
  BufferDestroy = 63,
  BufferSize = 69, ///< on the device
  BufferDevice = 70,
  BufferDelete = 72,
  BufferIsDeleted = 73,
  BufferCopyToDevice = 74,
  BufferCopyToMemory = 97,
};
/// The last words are of newer tables; a table without them is usable.
inline constexpr unsigned MinWords = BufferCopyToDevice + 1, MaxWords = 512;

/// Arguments of a question about one object, with a result of a word.
struct ObjectQuestion {
  size_t Size = sizeof(ObjectQuestion);
  void *Extensions = nullptr;
  void *Object;
  uintptr_t Answer = 0;
};
struct TextQuestion {
  size_t Size = sizeof(TextQuestion);
  void *Extensions = nullptr;
  void *Object;
  const char *Text = nullptr;
  size_t TextSize = 0;
};
/// Arguments of ErrorDestroy, ExecutableDestroy, BufferDestroy, BufferDelete.
struct OneObject {
  size_t Size = sizeof(OneObject);
  void *Extensions = nullptr;
  void *Object;
};
/// The beginnings of other arguments.
struct CreateClient {
  size_t Size;
  void *Unused[7];
  void *Client; ///< result
};
struct FromHostBuffer {
  size_t Size;
  void *Unused[13];
  void *Buffer; ///< result
};
struct ExecuteProgram {
  size_t Size;
  void *Extensions;
  void *Program; ///< loaded
  void *Options;
  void *const *const *Arguments; ///< buffers, by device
  size_t NumDevices, NumArguments;
  void **const *Outputs; ///< results: buffers, by device
};
struct CopyBuffer {
  size_t Size;
  void *Extensions;
  void *Buffer, *To;
  void *Copy; ///< result
};
static_assert(offsetof(CreateClient, Client) == 64 &&
              offsetof(FromHostBuffer, Buffer) == 112 &&
              offsetof(ExecuteProgram, Outputs) == 56 &&
              offsetof(CopyBuffer, Copy) == 32);

} // namespace memkit::capture::pjrt

#endif // MEMKIT_CAPTURE_JAX_PJRTAPI_H
