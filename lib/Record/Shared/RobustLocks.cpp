// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks that show other processes when the recorder dies.

#include "Shared/RobustLocks.h"
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace memkit;

// The kernel's struct robust_list_head, with RobustNode as the node.
static struct {
  RobustNode List;
  long Distance;
  RobustNode *Pending;
} Head;

static volatile uint32_t *wordOf(RobustNode *Node) {
  return reinterpret_cast<volatile uint32_t *>(reinterpret_cast<char *>(Node) +
                                               Head.Distance);
}

bool memkit::startRobustLocks(ptrdiff_t Distance) {
  static_assert(sizeof(Head) == sizeof(struct robust_list_head));
  Head.List.Next = &Head.List;
  Head.Distance = Distance;
  Head.Pending = nullptr;
  return syscall(SYS_set_robust_list, &Head, sizeof(Head)) == 0;
}

void memkit::holdRobust(RobustNode *Node) {
  *wordOf(Node) = uint32_t(syscall(SYS_gettid));
  Node->Next = Head.List.Next;
  Head.List.Next = Node;
}

void memkit::releaseRobust(RobustNode *Node) {
  for (RobustNode *N = &Head.List; N->Next != &Head.List; N = N->Next)
    if (N->Next == Node) {
      N->Next = Node->Next;
      break;
    }
  *wordOf(Node) = 0;
}
