// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flame graphs as a page that is a file.

#ifndef MEMKIT_LIB_VIEW_FLAMEPAGE_H
#define MEMKIT_LIB_VIEW_FLAMEPAGE_H

#include "Export/NodeRanks.h"
#include "Model/Query/ProfileQuery.h"

namespace memkit {

/// The graphs of a page, and what the page says of them.
struct FlamePage {
  const ProfileQuery &Query;
  const NodeRanks &Ranks;           ///< of Query's tree
  llvm::ArrayRef<Profile> Profiles; ///< at least one
  const Profile *InOrder = nullptr; ///< drawn last, in its order; or null
  GroupBy By = GroupBy::Stack;      ///< of Query's tree
  bool HasStacks = true;            ///< the keys of Profiles are stacks
  bool Full = false;                ///< small frames, too
  bool IsInverted = false;
  std::string Trace = {};   ///< the file's name
  std::string Title = {};   ///< one sentence
  std::string Command = {}; ///< the command with the same answer
};

/// Writes a page that shows the graphs, with a table of each whose keys are
/// stacks. Unless Full, the graphs have so few nodes that the data stays below
/// 2 MiB.
void writeFlamePage(llvm::raw_ostream &OS, const FlamePage &P);

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_FLAMEPAGE_H
