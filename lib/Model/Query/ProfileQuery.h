// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles and the tree in which they are drawn.
//
// The data of a flame graph or a tree table: one value for each key, and the
// tree of the keys, grouped and shaped.

#ifndef MEMKIT_LIB_MODEL_PROFILEQUERY_H
#define MEMKIT_LIB_MODEL_PROFILEQUERY_H

#include "Model/Select/SpaceRoots.h"
#include "StackGroups.h"
#include "memkit/Model/Places.h"

namespace memkit {

struct ProfileOptions {
  /// Category: at the peak of all times, the summary's categories and layers;
  /// with any other selection than of heaps and processes, and for other
  /// metrics than the peak, categories and stacks.
  GroupBy By = GroupBy::Stack;
  /// In a trace with Python frames these frames are lines.
  bool LinesOfPython = false;
  StackShape Shape; ///< Shape.By is ignored
  /// Metric Temporary counts allocations freed within this time, in ns.
  std::optional<uint64_t> MaxAgeNs;
  /// True: one tree with a root for each memory space. False: a profile of one
  /// memory space.
  bool InOneTree = false;
  /// Values other than the peak are wanted.
  bool WantsOtherThanPeak = false;
  /// Of a trace that memdiff wrote: two columns, see showsDiff().
  bool WantsDiff = false;
};

/// A trace, a selection and a tree. Not copyable or movable.
class ProfileQuery {
public:
  /// T: read with TP_All. Errors: of Selection, of reading, and for a trace
  /// with nothing to group by.
  static llvm::Expected<std::unique_ptr<ProfileQuery>>
  create(std::unique_ptr<Trace> T, SelectionSpec Spec, ProfileOptions Options);

  const Trace &trace() const { return *T; }
  const SelectedStats &stats() const { return *S; }
  ShownTree tree() const { return *Tree; }
  /// As makeProfile(); grouped by category, the profiles of categories.
  llvm::Expected<Profile> profile(Metric M) const;
  /// The profiles of each memory space, the largest first; with chosen heaps,
  /// and of a trace that memdiff wrote, as makeHeapProfiles().
  llvm::Expected<std::vector<Profile>>
  profiles(llvm::ArrayRef<Metric> Metrics) const;
  StatsBy keys() const;
  /// Whether to show two columns: shrunk and grown.
  bool showsDiff() const { return ShowsDiff; }
  /// A warning for the user (nothing to group by), or empty.
  llvm::StringRef warning() const { return Warning; }

private:
  ProfileQuery(std::unique_ptr<Trace> T, ProfileOptions Options)
      : Options(std::move(Options)), T(std::move(T)) {}
  llvm::Error select(SelectionSpec Spec);
  llvm::Error sum(Selection Sel, bool AsksSummary);
  llvm::Error makeGroups();
  void shape();
  void chooseSpace();
  void warnOfNone();

  ProfileOptions Options;
  std::unique_ptr<Trace> T;
  std::optional<SelectedStats> S;
  std::optional<Places> Where; ///< if grouped by line
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

#endif // MEMKIT_LIB_MODEL_PROFILEQUERY_H
