// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory over time as a picture.

#ifndef MEMKIT_LIB_EXPORT_CURVESVG_H
#define MEMKIT_LIB_EXPORT_CURVESVG_H

#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memkit {

/// How a line of a panel is drawn.
enum class CurveStyle : uint8_t {
  Area,     ///< a filled area: the live bytes of the panel's memory space
  Heap,     ///< a thin line; each heap of a panel has another colour
  Resident, ///< a dashed line
  Used,     ///< a dashed line
  Reserved, ///< a dotted line
};

/// The bytes of a line in equal columns of the time from 0 to the end.
struct CurveLine {
  std::string Name;
  CurveStyle Style = CurveStyle::Area;
  std::vector<uint64_t> Values;
  size_t FirstColumn = 0; ///< the line is not known before this column
};

struct CurvePeak {
  uint64_t TimeNs = 0, Bytes = 0;
  std::string Text;
};

/// A memory space, or a heap.
struct CurvePanel {
  std::string Title;
  std::vector<CurveLine> Lines;
  std::optional<CurvePeak> Peak;
};

struct CurveStep {
  uint64_t TimeNs = 0, Number = 0;
};

struct CurveMark {
  uint64_t TimeNs = 0;
  std::string Text;
  bool IsAlarm = false; ///< memory ran out
};

struct CurvePicture {
  std::string Title;
  uint64_t EndNs = 0;
  std::vector<CurvePanel> Panels;
  std::vector<CurveStep> Steps; ///< times rise
  std::vector<CurveMark> Marks; ///< times rise
};

/// Writes the panels below each other on one axis of time.
void writeCurveSvg(llvm::raw_ostream &OS, const CurvePicture &P);

/// The distance of the lines of an axis up to Most: a power of two bytes with
/// three to six lines; at least 1.
uint64_t byteTick(uint64_t Most);
/// The same of an axis of time: 1, 2 or 5 times a power of ten nanoseconds,
/// from a second on the parts of a clock, with at most MaxTicks lines.
uint64_t timeTick(uint64_t EndNs, unsigned MaxTicks);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_CURVESVG_H
