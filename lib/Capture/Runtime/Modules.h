//===- Modules.h - The modules that own addresses ---------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which module of the program owns an address: asked of the loader without a
// lock when an address is new, entered in the shared table once. After a
// dlclose, what is gone is marked and never matched again.
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_CAPTURE_RUNTIME_MODULES_H
#define MEMKIT_CAPTURE_RUNTIME_MODULES_H

#include "Pieces.h"

namespace memkit::capture {

/// glibc's answer to _dl_find_object (2.35 and newer).
struct FoundObject {
  unsigned long long Flags;
  void *MapStart;
  void *MapEnd;
  void *LinkMap;
  void *EhFrame;
  unsigned long long Reserved[7];
};
using FindObjectFn = int (*)(void *Pc, FoundObject *Result);

class Modules {
public:
  bool begin(int Fd, const wire::Regions &R, wire::Control &C,
             FindObjectFn Find);

  /// The id of the module that owns \p Pc; 0: none, or no room. Any thread.
  uint32_t moduleOf(uint64_t Pc);

  /// Marks the modules that are no longer where they were. True: there are
  /// some, and isGone tells which. Called after each dlclose, one at a time.
  bool markGone();
  bool isGone(uint32_t Id) const;

private:
  struct Known {
    uint64_t Start;
    uint64_t End;
    void *LinkMap;
    std::atomic<uint32_t> Live;
  };
  static constexpr uint32_t MaxKnown = 1u << 16;

  uint32_t findKnown(const FoundObject &O) const;
  uint32_t add(const FoundObject &O);
  bool stillThere(const Known &K) const;

  wire::Control *Ctl = nullptr;
  FindObjectFn FindObject = nullptr;
  Known *List = nullptr; ///< by id
  std::atomic<uint32_t> Lock{0};
  std::atomic<uint32_t> LastHit{0};
  Pieces<wire::Module, 64> Table;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_MODULES_H
