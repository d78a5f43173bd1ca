// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ids a trace defines, to check the ids that its sections use.

#ifndef MEMKIT_TRACE_IDLIMITS_H
#define MEMKIT_TRACE_IDLIMITS_H

#include "memkit/Trace/EventTable.h"
#include "memkit/Trace/Sections.h"

namespace memkit {

struct DictionaryOutline;

/// The number of ids of each kind so far.
struct IdLimits {
  uint32_t Strings = 0, Devices = 0, Binaries = 0, Functions = 0, Frames = 0,
           Nodes = 0, Stacks = 0, Scopes = 0, ScopePaths = 0, Processes = 0,
           Threads = 0, Heaps = 0;
  uint32_t of(IdKind Kind) const;
  /// Adds the ids that D defines and checks all ids that D uses. Returns the
  /// problem, or an empty string.
  std::string add(const Dictionary &D);
  /// As add(), for the ids of heaps, processes, devices, strings, stacks, scope
  /// paths and threads alone.
  std::string add(const DictionaryOutline &D);
  /// Checks every id that a section uses. Returns the problem, or an empty
  /// string.
  std::string check(const Events &E) const;
  std::string check(const EventTable &E) const;
  std::string check(const Marks &M) const;
  std::string check(const Intervals &S) const;
  std::string check(const Lifetimes &L) const;
  std::string check(const Snapshot &K) const;
  std::string check(const Summary &S) const;
  std::string check(const Partial &P) const;
  std::string check(const BlockCategories &C) const;
  std::string check(const ScopeTimes &S) const;
  std::string check(const DeviceSpans &S) const;
};

/// A dictionary section in short: the few entries in full, and the number of
/// all other entries.
struct DictionaryOutline {
  Dictionary Few;  ///< only Devices, Processes, Heaps, and Strings if requested
  IdLimits Counts; ///< of all entries of the section
};

} // namespace memkit

#endif // MEMKIT_TRACE_IDLIMITS_H
