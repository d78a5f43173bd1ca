// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last walk of a thread.
//
// A thread keeps the state of its last walk, so the next walk only reads
// changed frames.
//
// The walk outwards from a frame is a function of the frame's return address,
// rsp, rbp if an outer frame uses rbp, and the words read on the way. So a walk
// that meets a frame of the last walk, with the same return address in the same
// place (and the same rbp, if used), continues as the last walk did if none of
// these words has changed. All of the words are kept and compared: return
// addresses, used saved rbps, the pointers of realigned stacks. Words read by
// other steps (signal frames, slow steps) are not kept, nor are the frames
// inside.

#ifndef MEMKIT_CAPTURE_STACKS_STACKSTATE_H
#define MEMKIT_CAPTURE_STACKS_STACKSTATE_H

#include "RecentRules.h"
#include "Unwind/Bounds.h"
#include "Unwind/CodeWord.h"

namespace memkit::capture {

/// A word of the stack that the walk has read.
struct KnownWord {
  uintptr_t Address;
  uint64_t Value;

  static constexpr uint32_t MostOfFrame = 3;
};

/// The frame of a word that is a return address. In the middle of a stack that
/// is too deep, frames may be left out.
struct KnownFrame {
  uintptr_t Fp;  ///< rbp in the frame
  uint32_t Node; ///< 0: unknown (a frame in the middle of a deep stack)
  uint32_t Bits; ///< depth from the root, and flags

  static constexpr uint32_t IsFrame = 1u << 31;
  static constexpr uint32_t NeedsFp = 1u << 30; ///< rbp is used from here on
  /// Node is the node of a stack with frames left out: valid only for this
  /// frame as the innermost.
  static constexpr uint32_t Shortened = 1u << 29;

  uint32_t depth() const { return Bits & (Shortened - 1); }
  bool isSame(uintptr_t F) const {
    return (Bits & IsFrame) && (!(Bits & NeedsFp) || Fp == F);
  }
};

/// A frame of the walk in progress.
struct NewFrame {
  uintptr_t Slot; ///< the address of the return address
  uintptr_t Pc;   ///< the return address
  uintptr_t Fp;
  CodeWord Code;
  uint32_t Node; ///< set by Stack
};

struct StackState {
  StackRange Own; ///< the thread's own stack; empty: unknown yet
  /// By address, highest first; the entry before the first ends searches.
  KnownWord *Words;
  KnownFrame *Frames; ///< parallel to Words
  NewFrame *New;      ///< innermost first
  RecentRules *Recent;
  uint32_t Capacity; ///< of each array; 0: no memory
  static constexpr uint32_t MaxCapacity = 1u << 20;
  uint32_t Wanted;     ///< a sufficient capacity; 0: Capacity was
  uint32_t Count;      ///< of Words
  uint32_t Generation; ///< of the code in Words and Recent
  /// Set while a walk is in progress: a word in the walk's frame, with a known
  /// value while the frame exists.
  const volatile uint64_t *Mark;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_STACKSTATE_H
