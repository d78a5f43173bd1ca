// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of devices: kernels, copies, memsets and graphs, with their times.
//
// A part of Sections.h, which has the units. Only a recorder that was asked for
// device time writes these rows.

#ifndef MEMKIT_TRACE_DEVICETIMES_H
#define MEMKIT_TRACE_DEVICETIMES_H

#include "memkit/Trace/RowField.h"
#include <cstdint>
#include <vector>

namespace memkit {

enum class WorkKind : uint8_t {
  Kernel = 0,
  CopyToDevice = 1, ///< from the host
  CopyToHost = 2,
  CopyOnDevice = 3,
  CopyBetweenDevices = 4,
  OtherCopy = 5, ///< on the host, of arrays, or of a direction not known
  Set = 6,       ///< of memory to a value
  Graph = 7,     ///< all of a graph, launched once
  /// Readers replace unknown kinds by this value.
  Unknown = 255,
};
/// Without Unknown.
inline constexpr uint8_t NumWorkKinds = 8;

/// The stats of all work of a process with equal device, stream, kind, name,
/// graph, stack and scope path. Work of one device may overlap: sums of times
/// may exceed the time of the run.
struct DeviceTimeStats {
  uint32_t Process = 0;
  uint32_t Device = 0;
  uint64_t Stream = 0; ///< the driver's number of the stream
  WorkKind Kind = WorkKind::Kernel;
  uint32_t Name = 0;      ///< string: of a kernel, as compiled; 0: none
  uint32_t Graph = 0;     ///< the driver's number of the graph; 0: none
  uint32_t Stack = 0;     ///< of the launch; 0: not known
  uint32_t ScopePath = 0; ///< of the thread at the launch; 0: none
  uint64_t Calls = 0;
  uint64_t DurationNs = 0;
  uint64_t LongestNs = 0; ///< of one call
  uint64_t Bytes = 0;     ///< of copies and memsets
  uint64_t BeginNs = 0;   ///< of the first call
  uint64_t EndNs = 0;     ///< of the last call
  /// Calls whose launch is not known: these have no stack and no scope path.
  uint64_t Untied = 0;
  bool operator==(const DeviceTimeStats &) const = default;
  static constexpr auto fields() {
    using D = DeviceTimeStats;
    return std::tuple(
        rowField("process", &D::Process)
            .id(IdKind::Process, "device time of process"),
        rowField("device", &D::Device)
            .id(IdKind::Device, "device time of device"),
        rowField("stream", &D::Stream), rowField("kind", &D::Kind),
        rowField("name", &D::Name)
            .idOrNone(IdKind::String, "device time with string"),
        rowField("graph", &D::Graph),
        rowField("stack", &D::Stack)
            .idOrNone(IdKind::Stack, "device time with stack"),
        rowField("scope-path", &D::ScopePath)
            .idOrNone(IdKind::ScopePath, "device time with scope path"),
        rowField("calls", &D::Calls), rowField("duration", &D::DurationNs),
        rowField("longest", &D::LongestNs), rowField("bytes", &D::Bytes),
        rowField("begin", &D::BeginNs), rowField("end", &D::EndNs),
        rowField("untied", &D::Untied));
  }
};

/// One piece of work, for timelines.
struct DeviceSpan {
  uint32_t Device = 0;
  uint64_t Stream = 0;
  WorkKind Kind = WorkKind::Kernel;
  uint32_t Name = 0;
  uint32_t Graph = 0;
  uint32_t ScopePath = 0;
  uint64_t BeginNs = 0;
  uint64_t DurationNs = 0;
  bool operator==(const DeviceSpan &) const = default;
  /// The field that the file stores as a difference to the row before.
  static constexpr std::string_view Difference = "begin";
  static constexpr auto fields() {
    using D = DeviceSpan;
    return std::tuple(
        rowField("device", &D::Device)
            .id(IdKind::Device, "device span of device"),
        rowField("stream", &D::Stream), rowField("kind", &D::Kind),
        rowField("name", &D::Name)
            .idOrNone(IdKind::String, "device span with string"),
        rowField("graph", &D::Graph),
        rowField("scope-path", &D::ScopePath)
            .idOrNone(IdKind::ScopePath, "device span with scope path"),
        rowField("begin", &D::BeginNs), rowField("duration", &D::DurationNs));
  }
};

/// Single pieces of work of a process, in the order in which their ends became
/// known: roughly that of time. A section has at most MaxSectionRows rows.
struct DeviceSpans {
  uint32_t Process = 0;
  std::vector<DeviceSpan> Rows;
  bool operator==(const DeviceSpans &) const = default;
};

} // namespace memkit

#endif // MEMKIT_TRACE_DEVICETIMES_H
