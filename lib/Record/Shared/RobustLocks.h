// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks that show other processes when the recorder dies.

#ifndef MEMKIT_LIB_RECORD_ROBUSTLOCKS_H
#define MEMKIT_LIB_RECORD_ROBUSTLOCKS_H

#include <cstddef>
#include <cstdint>

namespace memkit {

/// A robust futex of the recorder's thread: when the thread ends in any way,
/// the kernel sets FUTEX_OWNER_DIED in a word. A robust pthread_mutex_t does
/// the same, but its list would run through memory that the recorded program
/// can write. Here the list lies in memory of the recorder only: each word lies
/// at a fixed distance behind its node.
struct RobustNode {
  RobustNode *Next;
};

/// Makes this thread the owner of the words. Distance: bytes from a node to its
/// word, the same for all nodes. Once, before holdRobust(). False: the kernel
/// has no robust lists; programs then rely on the heartbeat alone.
bool startRobustLocks(ptrdiff_t Distance);
/// Takes the word behind Node. Node must stay until releaseRobust().
void holdRobust(RobustNode *Node);
void releaseRobust(RobustNode *Node);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_ROBUSTLOCKS_H
