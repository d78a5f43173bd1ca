// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles and the tree in which they are drawn.
//
// What a flame graph, or a table of a tree, is made from: one value for each
// key, and the tree of the keys, grouped and shaped as was asked for.

#ifndef MEMKIT_MODEL_PROFILEQUERY_H
#define MEMKIT_MODEL_PROFILEQUERY_H

#include "memkit/Model/SpaceRoots.h"
#include "memkit/Model/StackGroups.h"

namespace memkit {

struct ProfileOptions {
  /// Category: only with a selection of heaps and processes.
  GroupBy By = GroupBy::Stack;
  StackShape Shape; ///< its By is not used
  /// Temporary allocations are those that were freed within this time, ns.
  std::optional<uint64_t> MaxAgeNs;
  /// All memory spaces in one tree, each below a root of its name; else a
  /// profile is of one.
  bool InOneTree = false;
  /// Of a trace of differences, what shrank and what grew: showsDiff().
  bool WantsDiff = false;
};

/// A trace, what was selected of it, and the tree in which it is drawn. Not
/// copyable or movable.
class ProfileQuery {
public:
  /// Of what Spec chooses of T, which has to be read whole (TP_All). Errors:
  /// those of Selection, of reading, and of a trace that has nothing to group
  /// by so.
  static llvm::Expected<std::unique_ptr<ProfileQuery>>
  create(std::unique_ptr<Trace> T, SelectionSpec Spec, ProfileOptions Options);

  const Trace &trace() const { return *T; }
  const SelectedStats &stats() const { return *S; }
  ShownTree tree() const { return *Tree; }
  /// As makeProfile() and makeHeapProfiles() of Model; of categories both give
  /// theirs.
  llvm::Expected<Profile> profile(Metric M) const;
  llvm::Expected<std::vector<Profile>>
  heapProfiles(llvm::ArrayRef<Metric> Metrics) const;
  StatsBy keys() const;
  /// Whether it is a difference, to be shown in two columns.
  bool showsDiff() const { return ShowsDiff; }
  /// What the user ought to know: that there is nothing to group by so. Empty:
  /// nothing.
  llvm::StringRef warning() const { return Warning; }

private:
  ProfileQuery(std::unique_ptr<Trace> T, ProfileOptions Options)
      : Options(std::move(Options)), T(std::move(T)) {}
  llvm::Error select(SelectionSpec Spec);
  llvm::Error sum(Selection Sel);
  void shape();
  void chooseSpace();
  void warnOfNone();

  ProfileOptions Options;
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
  std::string Warning;
};

} // namespace memkit

#endif // MEMKIT_MODEL_PROFILEQUERY_H
