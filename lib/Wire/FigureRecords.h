// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of figures that a framework says of itself.
//
// A row of figures has a name and up to MaxFigures values; each value is a
// record. The records of a row follow one another in a ring.

#ifndef MEMKIT_LIB_WIRE_FIGURERECORDS_H
#define MEMKIT_LIB_WIRE_FIGURERECORDS_H

#include "Record.h"

namespace memkit::wire {

enum class FigureKind : uint8_t {
  /// The plan of a compiled program: bytes of arguments, results, results in
  /// arguments, temporary memory, code, peak; floating-point operations, bytes
  /// accessed.
  Program = 0,
  /// Live arrays of one type and shape: their number, their bytes.
  Arrays = 1,
};
inline constexpr unsigned NumFigureKinds = 2;
inline constexpr uint32_t MaxFigures = 8;
/// A value that the framework does not say.
inline constexpr uint64_t UnknownFigure = ~uint64_t(0);

struct FigureRecord {
  using Layout = RecordLayout<RecordKind::Figure, InAddress, InSize, InFunction,
                              InStack, InExtra>;
  uint64_t Value;
  uint64_t Text; ///< the row's name
  FigureKind Of;
  uint32_t Index; ///< of the value in the row
  uint32_t Count; ///< values of the row
};

using FigureRecords = RecordList<FigureRecord>;

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_FIGURERECORDS_H
