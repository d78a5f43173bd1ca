// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Markers and counters of a file for the Firefox Profiler.

#ifndef MEMKIT_LIB_EXPORT_FIREFOXTIMELINE_H
#define MEMKIT_LIB_EXPORT_FIREFOXTIMELINE_H

#include "FirefoxTables.h"
#include "TimelineParts.h"
#include <map>

namespace memkit {

/// A table of markers. The type of a marker names its schema.
class FirefoxMarkers {
public:
  /// Type: of writeSchemas().
  void instant(uint32_t Name, const char *Type, uint64_t TimeNs) {
    Rows.push_back({Name, Type, TimeNs, TimeNs, false, {}});
  }
  void interval(uint32_t Name, const char *Type, uint64_t BeginNs,
                uint64_t EndNs) {
    Rows.push_back({Name, Type, BeginNs, EndNs, true, {}});
  }
  /// Fields of an out-of-memory event: requested, live, reserved.
  void outOfMemory(uint32_t Name, uint64_t TimeNs, std::vector<uint64_t> Bytes);
  bool empty() const { return Rows.empty(); }

  /// Writes `"markers":{..}`.
  void write(llvm::raw_ostream &OS) const;
  /// Writes `"markerSchema":[..]`.
  static void writeSchemas(llvm::raw_ostream &OS);

private:
  struct FirefoxMarker {
    uint32_t Name; ///< string
    const char *Type;
    uint64_t BeginNs, EndNs;
    bool IsInterval;
    std::vector<uint64_t> Bytes;
  };
  static void writeData(llvm::raw_ostream &OS, const FirefoxMarker &M);

  std::vector<FirefoxMarker> Rows;
};

/// Bytes over time, of a process.
struct FirefoxCounter {
  std::string Name;
  std::vector<std::pair<uint64_t, uint64_t>> Points; ///< ns and bytes
  /// Writes the counter. Pid: JSON; Thread: index of the process's first
  /// thread. Samples are differences; the first is 0, because the profiler
  /// ignores the value of the first sample.
  void write(llvm::raw_ostream &OS, llvm::StringRef Pid, size_t Thread) const;
};

/// The timeline of a selected run.
struct FirefoxTimeline {
  std::map<uint32_t, FirefoxMarkers> Processes, Threads;    ///< by id
  std::map<uint32_t, std::vector<FirefoxCounter>> Counters; ///< by process
  uint64_t ScopesLeftOut = 0;
};

/// Reads intervals, marks and events. MaxScopes: of the markers of threads.
/// Errors: TraceError.
llvm::Expected<FirefoxTimeline> readFirefoxTimeline(const SelectedStats &S,
                                                    FirefoxTables &Tables,
                                                    uint64_t MaxScopes);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_FIREFOXTIMELINE_H
