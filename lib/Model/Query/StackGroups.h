// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks below their groups.

#ifndef MEMKIT_LIB_MODEL_STACKGROUPS_H
#define MEMKIT_LIB_MODEL_STACKGROUPS_H

#include "Model/Trace/StackShape.h"
#include "memkit/Model/BlockCategories.h"
#include "memkit/Model/Libraries.h"
#include "memkit/Model/Profile.h"
#include "memkit/Model/Replay.h"
#include "memkit/Model/SelectedStats.h"

namespace memkit {

/// Gives keys to pairs of a group and a stack. A group is, depending on By, a
/// thread, heap, class of sizes, step, library, category or dtype of tensors,
/// or (Mixed) a scope path.
class StackGroups {
public:
  /// T must outlive this object. Fails if the trace has nothing to group by;
  /// the error explains how to record it.
  static llvm::Expected<StackGroups> create(const Trace &T, GroupBy By);

  /// The groups of allocations with keys of this object, for stats of all
  /// events.
  AllocationGroups allocationGroups();
  /// The key of a heap and a stack, for stats of the summary; only by Heap or
  /// Library.
  uint32_t keyOf(uint32_t Heap, uint32_t Stack) {
    return key(By == GroupBy::Library ? Of->of(Stack) : Heap, Stack);
  }
  /// The key of a block, by Category. Blocks that are no tensors have one key,
  /// without stacks: other groupings show them.
  uint32_t keyOf(uint32_t Process, uint32_t Heap, uint32_t Stack,
                 uint64_t AllocationId) {
    uint32_t Group = Categories->of(Process, Heap, AllocationId);
    return key(Group, Group ? Stack : 0);
  }
  /// Makes the keys of all categories that blocks of a stack may have.
  void addCategories(uint32_t Heap, uint32_t Stack);
  /// The tree of all keys given so far.
  ScopeView view() const;

private:
  StackGroups(const Trace &T, GroupBy By) : T(&T), By(By) {}
  uint32_t key(uint32_t Group, uint32_t Stack);
  uint32_t groupOf(const Allocation &B) const;
  uint32_t stepOf(const Allocation &B) const;
  std::string nameOf(uint32_t Group) const;
  ScopeView mixedView() const;

  struct GroupedStack {
    uint32_t Group, Stack;
  };
  struct GroupKey {
    uint32_t Group = 0, Key = 0; ///< Key 0: not asked for yet
  };
  struct StepBegin {
    uint64_t BeginNs;
    uint64_t Step;
  };
  const Trace *T;
  GroupBy By;
  std::vector<GroupedStack> Pairs{{0, 0}}; ///< by key
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Keys;
  /// By stack, its group asked for last: most stacks have one group.
  std::vector<GroupKey> LastKeys;
  /// Indices in Steps, by process and time.
  std::vector<std::vector<uint32_t>> StepsOf;
  std::vector<StepBegin> Steps{{0, 0}};
  std::optional<Libraries> Of;
  std::optional<CategoryGroups> Categories;
  std::optional<DtypeGroups> Dtypes;
};

/// The tensors at the peaks of their heaps by category and layer: keys are rows
/// of the trace's table of categories.
struct CategoryView {
  ScopeView View;
  /// One for each heap of Sel with tensors.
  std::vector<Profile> Profiles;
};
llvm::Expected<CategoryView> viewCategories(const Trace &T,
                                            const Selection &Sel);

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_STACKGROUPS_H
