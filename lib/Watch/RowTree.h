// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of memtop: rows in groups that open.

#ifndef MEMKIT_LIB_WATCH_ROWTREE_H
#define MEMKIT_LIB_WATCH_ROWTREE_H

#include "WatchedTrace.h"
#include "memkit/Model/Libraries.h"
#include "memkit/Model/Places.h"
#include "memkit/Model/ScopeView.h"
#include <set>

namespace memkit {

/// What the first level of the table shows, in the order of the keys that
/// change it.
inline constexpr GroupBy WatchedGroups[] = {
    GroupBy::Line,   GroupBy::Stack,   GroupBy::Library,
    GroupBy::Heap,   GroupBy::Process, GroupBy::Rank,
    GroupBy::Thread, GroupBy::Layer,   GroupBy::Scope};
/// Whether the rows of a grouping are known of now alone.
inline bool isOfNow(GroupBy G) {
  return G == GroupBy::Thread || G == GroupBy::Layer || G == GroupBy::Scope;
}

/// Columns to sort by.
enum class SortColumn : uint8_t {
  Live,
  Peak,
  Growth, ///< since the mark, if there is a mark
  PerStep,
  Allocations,
  Temporary,
  Age,
};
inline constexpr unsigned NumSortColumns = 7;
llvm::StringRef sortName(SortColumn C);
std::optional<SortColumn> sortColumnOf(llvm::StringRef Name);

/// The value by which rows are sorted.
double sortValue(const MomentValues &V, SortColumn C, bool HasMark);

struct TreeSpec {
  GroupBy By = GroupBy::Line; ///< of WatchedGroups
  SortColumn First = SortColumn::Live, Second = SortColumn::Peak;
  bool HasMark = false;
  /// Only rows with this text in a shown frame or in the group's name; upper
  /// and lower case are equal. Empty: all.
  std::string Filter;
  std::set<uint64_t> Open; ///< TreeRow::Id
  /// Of lines without a filter: several imports are one row, which opens.
  bool FoldImports = true;
};

/// A visible row of the table.
struct TreeRow {
  uint64_t Id = 0; ///< the same for the same names, in other moments, too
  std::string Name;
  std::string LastName; ///< of calls in one row: the innermost; else empty
  unsigned Depth = 0;
  bool IsOpen = false, CanOpen = false;
  MomentValues V;
};

/// Makes tables of one trace. Keeps what several tables need. Belongs to one
/// thread; the trace must outlive the object.
class RowTree {
public:
  explicit RowTree(WatchedTrace &W) : W(W) {}

  /// The visible rows, in order.
  std::vector<TreeRow> rows(const WatchedRows &Of, const TreeSpec &Spec);

  /// The places of the trace's stacks. Made when needed.
  const Places &lines();

private:
  struct Group;
  class CallTree;

  void foldImports(std::vector<Group> &Groups) const;
  uint32_t groupOf(const WatchedRow &R, GroupBy By);
  std::string groupName(uint32_t Group, GroupBy By) const;
  std::vector<char> matchesOfNodes(const ShownTree &T,
                                   llvm::StringRef Filter) const;

  WatchedTrace &W;
  std::optional<Places> Lines;
  std::optional<Libraries> Owners;
};

} // namespace memkit

#endif // MEMKIT_LIB_WATCH_ROWTREE_H
