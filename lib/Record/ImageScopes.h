//===- ImageScopes.h - What an image tells of itself ------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_LIB_RECORD_IMAGESCOPES_H
#define MEMKIT_LIB_RECORD_IMAGESCOPES_H

#include "ScopeDepth.h"
#include "SpanTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

namespace memkit {

class Recording;

/// The scopes, steps and marks of an image, from the records in which it tells
/// of them. Which scopes are open is known for each ring, from its records in
/// their order: a scope is over at its end, at the end of one that its ring
/// began before it, and at the ring's.
///
/// Belongs to the recorder's thread.
class ImageScopes {
public:
  ImageScopes(SharedImage &Shared, Recording &R, uint32_t Image,
              uint64_t BeginNs);

  /// Takes a record of ring Ring and thread Thread; Ring becomes the one whose
  /// context may have changed. False: it is none of a scope, or nonsense.
  bool take(const wire::Record &Rec, uint32_t &Ring, uint32_t Thread);
  /// The innermost scope's context of the trace, 0 for none.
  uint32_t context(uint32_t Ring) const {
    return Ring < Rings.size() ? Rings[Ring].Context : 0;
  }
  /// The scopes that are open in the ring end.
  void endRing(uint32_t Ring, uint64_t TimeNs);
  /// All that are open end, and the sums of all go to the recording.
  void finish(uint64_t TimeNs);

private:
  struct Open {
    uint64_t Number;
    uint32_t Context; ///< outside of it
    bool Measured;
  };
  struct RingScopes {
    llvm::SmallVector<Open, 4> Opens;
    uint32_t Context = 0;
  };
  /// A text, as the trace has it.
  struct Name {
    uint32_t String = 0;
    std::string Text;
  };
  const Name &name(uint32_t Text);
  RingScopes &ring(uint32_t I);
  bool begin(const wire::Record &Rec, uint32_t Ring, uint32_t Thread);
  void end(uint64_t Number, uint32_t &Ring, uint64_t TimeNs);
  void endFrom(RingScopes &Of, size_t First, uint64_t TimeNs);
  void endSpan(uint64_t Number, uint64_t TimeNs);
  bool mark(const wire::Record &Rec, uint32_t Thread);
  void step(uint64_t Tsc, uint32_t Thread);
  bool answer(const wire::Record &Rec, uint32_t Ring);
  void write(const Span &S, wire::Reply &To) const;

  /// A thread cannot make us keep more.
  static constexpr size_t MostOfRing = 1 << 16, MostNames = 1 << 16;
  static constexpr uint64_t MostFoldedMarks = 1 << 16;

  SharedImage &Shared;
  Recording &R;
  uint32_t Image;
  std::vector<RingScopes> Rings;
  ScopeDepth Depth;
  SpanTable Spans;
  llvm::DenseMap<uint32_t, Name> Names;          ///< by text
  llvm::MapVector<uint32_t, LayerTotals> Totals; ///< by string
  uint64_t Steps = 0, FoldedMarks = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_IMAGESCOPES_H
