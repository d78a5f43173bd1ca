// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a framework says of its memory.

#ifndef MEMKIT_LIB_RECORD_FIGURES_H
#define MEMKIT_LIB_RECORD_FIGURES_H

#include "Shared/RecordOrigin.h"
#include "Wire/FigureRecords.h"
#include <vector>

namespace memkit {

class EventSink;

/// Turns rows of figures into marks. Belongs to the recorder's thread.
class Figures {
public:
  explicit Figures(EventSink &Sink) : Sink(Sink) {}
  void take(const wire::FigureRecord &Rec, RecordOrigin From);

private:
  /// Bounds what a program may add to the trace.
  static constexpr size_t MaxRows = 1 << 18;
  EventSink &Sink;
  std::vector<std::vector<uint64_t>> Rows; ///< by ring: the values so far
  size_t Added = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_FIGURES_H
