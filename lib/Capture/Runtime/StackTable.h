//===- StackTable.h - The shared tree of stacks -----------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shared tree of stacks: code ids for addresses, node ids for (parent,
// code). Ids are dense and never change meaning; an entry is complete before
// its id is given out. Lock-free: any thread and any signal handler may call.
// The memory is taken and zeroed by the owner; begin makes it usable.
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_CAPTURE_RUNTIME_STACKTABLE_H
#define MEMKIT_CAPTURE_RUNTIME_STACKTABLE_H

#include "HashIndex.h"
#include "Pieces.h"

namespace memkit::capture {

class StackTable {
public:
  /// Maps the regions' first pieces. False: not to be used.
  bool begin(int Fd, const wire::Regions &R, wire::Control &C) {
    Ctl = &C;
    return Nodes.begin(Fd, R.Nodes, R.MaxNodes) &&
           Codes.begin(Fd, R.Codes, R.MaxCodes) && NodeIndex.begin() &&
           CodeIndex.begin();
  }

  /// The id of native code at \p Address; \p ModuleOf(Address) is asked when it
  /// is new. 0: the table is full.
  template <typename Fn> uint32_t codeOf(uint64_t Address, Fn ModuleOf) {
    uint64_t Hash = hashKey(Address);
    auto Is = [&](uint32_t Id) {
      return Codes[Id].Address.load(std::memory_order_relaxed) == Address;
    };
    if (uint32_t Id = CodeIndex.find(Hash, Is))
      return Id;
    uint32_t Id = newCode(Address, ModuleOf(Address), wire::CodeKind::Native);
    return Id ? CodeIndex.insert(Hash, Id, Is) : 0;
  }

  /// The code that marks frames left out.
  uint32_t gapCode() {
    if (uint32_t Id = Gap.load(std::memory_order_acquire))
      return Id;
    uint32_t Id = newCode(0, 0, wire::CodeKind::Gap), Expected = 0;
    if (Gap.compare_exchange_strong(Expected, Id, std::memory_order_acq_rel))
      return Id;
    return Expected;
  }

  /// The node of \p Code under \p Parent. 0: the table is full.
  uint32_t child(uint32_t Parent, uint32_t Code) {
    uint64_t Hash = hashKey(uint64_t(Parent) << 32 | Code);
    auto Is = [&](uint32_t Id) {
      wire::Node &N = Nodes[Id];
      return N.Code.load(std::memory_order_relaxed) == Code &&
             N.Parent.load(std::memory_order_relaxed) == Parent;
    };
    if (uint32_t Id = NodeIndex.find(Hash, Is))
      return Id;
    uint32_t Id = nextId(Ctl->NextNode, Nodes);
    if (!Id)
      return 0;
    wire::Node &N = Nodes[Id];
    N.Parent.store(Parent, std::memory_order_relaxed);
    N.Code.store(Code, std::memory_order_release);
    return NodeIndex.insert(Hash, Id, Is);
  }

  /// The addresses of module \p Gone no longer mean what they did.
  template <typename Fn> void forgetModules(Fn Gone) {
    CodeIndex.remove([&](uint32_t Id) {
      return Gone(Codes[Id].Module.load(std::memory_order_relaxed));
    });
  }

private:
  template <typename P>
  static uint32_t nextId(std::atomic<uint32_t> &Next, P &Table) {
    uint32_t Id = Next.load(std::memory_order_relaxed);
    do
      if (!Table.get(Id))
        return 0;
    while (!Next.compare_exchange_weak(Id, Id + 1, std::memory_order_acq_rel));
    return Id;
  }

  uint32_t newCode(uint64_t Address, uint32_t Module, wire::CodeKind Kind) {
    uint32_t Id = nextId(Ctl->NextCode, Codes);
    if (!Id)
      return 0;
    wire::Code &C = Codes[Id];
    C.Address.store(Address, std::memory_order_relaxed);
    C.Module.store(Module, std::memory_order_relaxed);
    C.Kind.store(uint32_t(Kind), std::memory_order_release);
    return Id;
  }

  wire::Control *Ctl = nullptr;
  std::atomic<uint32_t> Gap{0};
  Pieces<wire::Node, 4096> Nodes; ///< 512 Mi nodes
  Pieces<wire::Code, 1024> Codes; ///< 64 Mi codes
  HashIndex NodeIndex, CodeIndex;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_STACKTABLE_H
