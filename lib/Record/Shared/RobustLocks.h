// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words that tell others when the recorder dies.

#ifndef MEMKIT_LIB_RECORD_ROBUSTLOCKS_H
#define MEMKIT_LIB_RECORD_ROBUSTLOCKS_H

#include <cstddef>
#include <cstdint>

namespace memkit {

/// A robust futex of the recorder's thread: when the thread ends in any way,
/// the kernel sets FUTEX_OWNER_DIED in the word. This is what a robust
/// pthread_mutex_t does, but its list would run through memory that the
/// recorded program can write. Here the list stands in memory of our own: each
/// word lies at a fixed distance behind its node.
struct RobustNode {
  RobustNode *Next;
};

/// Makes this thread the owner of the words. Distance: bytes from a node to its
/// word, the same for all. Once, before holdRobust. False: the kernel has no
/// such lists; the heartbeat has to do.
bool startRobustLocks(ptrdiff_t Distance);
/// Takes the word behind Node. Node must stay until releaseRobust.
void holdRobust(RobustNode *Node);
void releaseRobust(RobustNode *Node);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_ROBUSTLOCKS_H
