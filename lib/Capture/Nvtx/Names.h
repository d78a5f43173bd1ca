// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What NVTX calls things.
//
// Names of domains and registered strings, whose handles a program keeps, also
// in children of fork: so they stand in memory that these inherit, and find
// their number among the names of a process (SharedNames) when they are used.
// What has a name in a domain is called `domain:name`.
//
// Any thread; nothing is locked, and nothing allocated after the first call.

#ifndef MEMKIT_CAPTURE_NVTX_NAMES_H
#define MEMKIT_CAPTURE_NVTX_NAMES_H

#include "Nvtx/Abi.h"

#include <atomic>

namespace memkit::capture::nvtx {

/// What a handle is the address of.
struct Name {
  std::atomic<uint64_t> Text; ///< the process's epoch in the high half
  uint32_t Bytes;
  char Chars[]; ///< with its domain; no NUL
};

/// A text that a program gives, as UTF-8. Bytes past the end of Room are cut.
struct Words {
  const char *Chars = "";
  size_t Bytes = 0;
  char Room[512];

  explicit Words(const char *Ascii);
  explicit Words(const wchar_t *Wide);
  Words(uint32_t MessageType, const Message &M);
  /// Goes into Room, behind the domain's name; a null one has none.
  void putInto(const Name *Domain);

private:
  void set(const wchar_t *Wide);
};

/// The name of a domain, or a string of a domain; equal ones are the same.
/// Past some 16,000 of them digits are taken as `#`. Null: there is no room.
const Name *registered(const Words &W);

/// The handle, if it is one that registered() gave, else null.
const Name *nameOf(const void *Handle);

/// The number of a name in this process, which records.
uint32_t textOf(const Name &N);
uint32_t textOf(const Words &W);
/// Of what a call names: a registered string has its domain's name already.
uint32_t textOf(const Name *Domain, uint32_t MessageType, const Message &M);

} // namespace memkit::capture::nvtx

#endif // MEMKIT_CAPTURE_NVTX_NAMES_H
