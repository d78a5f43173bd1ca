// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last walk of a thread.
//
// What a thread keeps of its last walk, so that the next one has to look only
// at what has changed.
//
// Walking outwards from a frame is a function of its return address, its rsp,
// its rbp where an outer frame uses that, and of the words that are read on the
// way. So a walk that comes to a frame of the last one, with the same return
// address in the same place (and the same rbp, where it is used), goes on as
// the last one did when none of these words has changed. All of them are kept
// and compared: return addresses, saved rbps that are used, the pointers of
// realigned stacks. What is read on other ways (signal frames, slow steps) is
// not kept, nor is any frame that lies inside of one of those.

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
};

/// What is known when the word is a frame's return address.
struct KnownFrame {
  uintptr_t Fp;  ///< rbp in the frame
  uint32_t Node; ///< 0: not known (a frame in the middle of a deep stack)
  uint32_t Bits; ///< depth from the root, and flags

  static constexpr uint32_t IsFrame = 1u << 31;
  static constexpr uint32_t NeedsFp = 1u << 30; ///< rbp is used from here on
  /// Node is that of a stack with frames left out: good for this frame as the
  /// innermost one only.
  static constexpr uint32_t Shortened = 1u << 29;

  uint32_t depth() const { return Bits & (Shortened - 1); }
  bool isSame(uintptr_t F) const {
    return (Bits & IsFrame) && (!(Bits & NeedsFp) || Fp == F);
  }
};

/// A frame of the walk that is under way.
struct NewFrame {
  uintptr_t Slot; ///< where its return address stands
  uintptr_t Pc;   ///< that return address
  uintptr_t Fp;
  CodeWord Code;
  uint32_t Node; ///< set by who finds nodes
};

struct StackState {
  StackRange Own; ///< of the thread's own stack; empty: not known yet
  /// By address, highest first; an entry before the first one ends searches.
  KnownWord *Words;
  KnownFrame *Frames; ///< beside Words
  NewFrame *New;      ///< innermost first
  RecentRules *Recent;
  uint32_t Capacity;   ///< of each; 0: none of them is allocated
  uint32_t Wanted;     ///< a capacity that would have been enough; 0: it was
  uint32_t Count;      ///< of Words
  uint32_t Generation; ///< of the code that Words and Recent know
  /// Set while a walk is under way: a word of that walk's frame, and what it
  /// holds for as long as that frame is there.
  const volatile uint64_t *Mark;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_STACKSTATE_H
