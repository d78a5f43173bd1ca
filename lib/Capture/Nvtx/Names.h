// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in NVTX.
//
// Names of domains and registered strings. The program keeps their handles,
// also in children of fork, so the names are in memory that children inherit. A
// name gets its number among the names of a process (SharedNames) at its first
// use there.
//
// A string in a domain has the name `domain:name`.
//
// Any thread; nothing is locked, and nothing is allocated after the first call.

#ifndef MEMKIT_CAPTURE_NVTX_NAMES_H
#define MEMKIT_CAPTURE_NVTX_NAMES_H

#include "Nvtx/Abi.h"

#include <atomic>

namespace memkit::capture::nvtx {

/// A registered name; its address is the handle.
struct RegisteredName {
  std::atomic<uint64_t> Text; ///< the process's epoch in the high half
  uint32_t Bytes;
  char Chars[]; ///< with its domain; no NUL
};

/// A text from the program, as UTF-8, cut to the size of Room.
struct Words {
  const char *Chars = "";
  size_t Bytes = 0;
  char Room[512];

  explicit Words(const char *Ascii);
  explicit Words(const wchar_t *Wide);
  Words(uint32_t MessageType, const Message &M);
  /// Moves the text to Room, after the domain's name; null: does nothing.
  void putInto(const RegisteredName *Domain);

private:
  void set(const wchar_t *Wide);
};

/// The registered name with the text of a domain, or of a string with its
/// domain; equal texts have one name. After about 16,000 names, each run of
/// digits counts as `#`. Null: no room.
const RegisteredName *registered(const Words &W);

/// The name of a handle from registered(), else null.
const RegisteredName *nameOf(const void *Handle);

/// The number of a name in this process, which records.
uint32_t textOf(const RegisteredName &N);
uint32_t textOf(const Words &W);
/// The text of a message in a domain. A registered string includes its domain's
/// name already.
uint32_t textOf(const RegisteredName *Domain, uint32_t MessageType,
                const Message &M);

} // namespace memkit::capture::nvtx

#endif // MEMKIT_CAPTURE_NVTX_NAMES_H
