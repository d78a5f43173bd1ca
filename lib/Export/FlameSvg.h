// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flame graphs as a picture.

#ifndef MEMKIT_LIB_EXPORT_FLAMESVG_H
#define MEMKIT_LIB_EXPORT_FLAMESVG_H

#include "Model/Query/FrameOwners.h"
#include "NodeRanks.h"
#include "memkit/Model/Profile.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// The meaning of a graph's colours.
enum class FlameTone : uint8_t {
  Owners, ///< whose code a frame is
  Grown,  ///< memory that grew
  Shrunk, ///< memory that shrank
};

/// A graph of a picture.
struct FlameGraph {
  std::string Title;
  const Profile *Of = nullptr;
  FlameTone Tone = FlameTone::Owners;
  /// The value of a graph as wide as the picture; 0: the profile's total.
  uint64_t WidestTotal = 0;
};

struct FlamePicture {
  std::string Title;
  std::vector<FlameGraph> Graphs;
  double Width = 1200; ///< in pixels
  /// Draws all frames, of any width. Otherwise a picture has at most 2,000
  /// frames and about 300 KB, no frame narrower than two pixels, and no row at
  /// the bottom with less than 5 % of the width.
  bool Full = false;
};

/// Writes the graphs of profiles of T below each other, the outermost frames on
/// top. A graph reports the share of frames that are left out, from 1 % on.
void writeFlameSvg(llvm::raw_ostream &OS, ShownTree T, const NodeRanks &Ranks,
                   const FrameOwners &Owners, const FlamePicture &P);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_FLAMESVG_H
