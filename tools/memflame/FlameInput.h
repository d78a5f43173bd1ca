// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memflame draws.

#ifndef MEMKIT_TOOLS_MEMFLAME_FLAMEINPUT_H
#define MEMKIT_TOOLS_MEMFLAME_FLAMEINPUT_H

#include "Model/SpaceRoots.h"
#include "Model/StackGroups.h"

namespace memkit {

/// A trace, what was selected of it, and the tree in which it is drawn.
class FlameInput {
public:
  /// As the options say.
  llvm::Error open(llvm::StringRef Path, SelectionSpec Spec);

  const Trace &trace() const { return *T; }
  const SelectedStats &sums() const { return *S; }
  ShownTree tree() const { return *Tree; }
  /// As makeProfile() and makeHeapProfiles() of Model; of categories both give
  /// theirs.
  llvm::Expected<Profile> profile(Metric M) const;
  llvm::Expected<std::vector<Profile>>
  heapProfiles(llvm::ArrayRef<Metric> Metrics) const;
  StatsBy keys() const;
  /// Whether it is a difference, to be shown in two columns.
  bool showsDiff() const { return ShowsDiff; }

private:
  llvm::Error sum(Selection Sel);
  void shape();
  void chooseSpace();

  std::unique_ptr<Trace> T;
  std::optional<SelectedStats> S;
  std::unique_ptr<StackGroups> Groups;
  std::vector<Profile> Categories;
  ScopeView Base, Shaped, Rooted;
  std::optional<ShownTree> Tree;
  RowKey KeyOf;
  std::unique_ptr<SpaceRoots> Roots;
  std::optional<uint32_t> Space = 0; ///< none: all, below roots of their names
  bool ShowsDiff = false;
};

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMFLAME_FLAMEINPUT_H
