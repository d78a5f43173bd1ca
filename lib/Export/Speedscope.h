// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files for speedscope.

#ifndef MEMKIT_LIB_EXPORT_SPEEDSCOPE_H
#define MEMKIT_LIB_EXPORT_SPEEDSCOPE_H

#include "NodeRanks.h"
#include "memkit/Model/Profile.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// The profiles of one quantity at several times.
struct ProfileCourse {
  struct CourseMoment {
    std::string Label; ///< `1.2 s, step 3: 343 MiB`
    Profile Of;
  };
  std::string Name;
  std::vector<CourseMoment> Moments; ///< in order of time
};

/// The profiles of a file.
struct SpeedscopeProfiles {
  llvm::ArrayRef<Profile> Usual; ///< at least one
  /// A profile whose values are drawn one by one from the left, merged only
  /// with their neighbours. If there are many, smaller values are folded with
  /// their neighbours. May be null.
  const Profile *InOrder = nullptr;
  /// Drawn as one profile each: the moments side by side, each below a frame
  /// with its label and as wide as its total.
  llvm::ArrayRef<ProfileCourse> Courses;
};

/// Writes profiles of T as a file of speedscope's format with shared frames,
/// the usual ones first. Ranks: of T. A weight is a byte, or an allocation.
/// Unless Full, small frames are folded (see FlameBuilder), so that the file
/// stays below 20 MB. Title: of the file.
void writeSpeedscope(llvm::raw_ostream &OS, ShownTree T, const NodeRanks &Ranks,
                     const SpeedscopeProfiles &Of, bool Full,
                     llvm::StringRef Title);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_SPEEDSCOPE_H
