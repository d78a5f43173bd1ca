// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared tree of stacks.
//
// Code ids for addresses, node ids for (parent, code). Ids are dense and never
// change meaning; an entry is complete before its id is used. Lock-free: any
// thread and any signal handler may call. The owner provides the object in
// zeroed memory; begin() makes the object usable.

#ifndef MEMKIT_CAPTURE_STACKS_STACKTABLE_H
#define MEMKIT_CAPTURE_STACKS_STACKTABLE_H

#include "NodeIndex.h"
#include "Runtime/Pieces.h"

namespace memkit::capture {

class StackTable {
public:
  /// Maps the regions' first pieces. False: do not use the object.
  bool begin(int Fd, const wire::Regions &R, wire::Control &C) {
    constexpr uint32_t MaxNodes = 1u << NodeIndex::IdBits;
    constexpr uint32_t MaxCodes = 1u << NodeIndex::CodeBits;
    Ctl = &C;
    return Nodes.begin(Fd, R.Nodes,
                       R.MaxNodes < MaxNodes ? R.MaxNodes : MaxNodes) &&
           Codes.begin(Fd, R.Codes,
                       R.MaxCodes < MaxCodes ? R.MaxCodes : MaxCodes) &&
           Index.begin();
  }

  /// Called before the first pair. False: no memory.
  bool beginPairs() { return Pairs.begin(); }

  /// A new code. 0: the table is full.
  uint32_t newCode(uint64_t Address, uint32_t Binary, wire::CodeKind Kind) {
    uint32_t Id;
    if (!reserve(Ctl->NextCode, 1, Id,
                 [&](uint32_t Id) { return Codes.get(Id) != nullptr; }))
      return 0;
    wire::Code &C = Codes[Id];
    C.Address.store(Address, std::memory_order_relaxed);
    C.Container.store(Binary, std::memory_order_relaxed);
    C.Kind.store(uint32_t(Kind), std::memory_order_release);
    return Id;
  }

  /// The code that marks left-out frames, or the end of a walk that could not
  /// go on.
  uint32_t markCode(wire::CodeKind Kind) {
    std::atomic<uint32_t> &Mark = Marks[Kind == wire::CodeKind::Gap];
    if (uint32_t Id = Mark.load(std::memory_order_acquire))
      return Id;
    uint32_t Id = newCode(0, 0, Kind), Expected = 0;
    if (Mark.compare_exchange_strong(Expected, Id, std::memory_order_acq_rel))
      return Id;
    return Expected;
  }

  /// The node of \p Code under \p Parent. 0: none.
  uint32_t find(uint32_t Parent, uint32_t Code) const {
    return Index.find(Parent, Code);
  }

  /// The node of \p Code under \p Parent, made if necessary. 0: the table is
  /// full.
  uint32_t child(uint32_t Parent, uint32_t Code) {
    uint32_t Id = 0;
    path(
        Parent, 1, [&](uint32_t) { return Code; },
        [&](uint32_t, uint32_t Node) { Id = Node; });
    return Id;
  }

  /// The nodes of a path of \p N codes under \p Parent, outermost first. \p
  /// CodeAt(I): 0 for a hidden frame, which has its parent's node. Calls \p
  /// Take(I, Node) in order; returns the number of calls, less than \p N if the
  /// table is full.
  template <typename CodeFn, typename TakeFn>
  uint32_t path(uint32_t Parent, uint32_t N, CodeFn CodeAt, TakeFn Take) {
    for (uint32_t I = 0; I < N; ++I) {
      if (uint32_t Code = CodeAt(I)) {
        uint32_t Id = Index.find(Parent, Code);
        if (!Id)
          return append(Parent, I, N, CodeAt, Take);
        Parent = Id;
      }
      Take(I, Parent);
    }
    return N;
  }

  /// The node of the Python path \p Python in the native path \p Native. 0: the
  /// table is full.
  uint32_t pair(uint32_t Native, uint32_t Python) {
    if (!Pairs.reserve(Native))
      return 0;
    uint32_t Id = Pairs.find(Native, Python);
    return __builtin_expect(Id != 0, 1) ? Id : newPair(Native, Python);
  }

  /// The entry of an id in use.
  const wire::Node &node(uint32_t Id) { return Nodes[Id]; }
  const wire::Code &code(uint32_t Id) { return Codes[Id]; }

  /// The private memory of the tree, in bytes.
  uint64_t bytes() const { return Index.bytes() + Pairs.bytes(); }

private:
  /// Reserves up to \p Wanted consecutive ids, for each of which \p CanHave is
  /// true; returns the number.
  template <typename Fn>
  static uint32_t reserve(std::atomic<uint32_t> &Next, uint32_t Wanted,
                          uint32_t &First, Fn CanHave) {
    First = Next.load(std::memory_order_relaxed);
    for (;;) {
      uint32_t N = 0;
      while (N < Wanted && CanHave(First + N))
        ++N;
      if (!N || Next.compare_exchange_weak(First, First + N,
                                           std::memory_order_acq_rel))
        return N;
    }
  }

  __attribute__((noinline)) uint32_t newPair(uint32_t Native, uint32_t Python) {
    uint32_t Id;
    if (!reserve(Ctl->NextNode, 1, Id,
                 [&](uint32_t Id) { return Nodes.get(Id) != nullptr; }))
      return 0;
    wire::Node &Node = Nodes[Id];
    Node.Parent.store(Native, std::memory_order_relaxed);
    Node.Code.store(wire::PairBit | Python, std::memory_order_release);
    uint32_t In = Pairs.insert(Native, Python, Id);
    return In ? In : Id;
  }

  /// Continues path() from frame \p I, the first without a node: the frames
  /// inside have none, either.
  template <typename CodeFn, typename TakeFn>
  uint32_t append(uint32_t Parent, uint32_t I, uint32_t N, CodeFn CodeAt,
                  TakeFn Take) {
    uint32_t Wanted = 0, Id;
    for (uint32_t J = I; J < N; ++J)
      Wanted += CodeAt(J) != 0;
    uint32_t End = reserve(Ctl->NextNode, Wanted, Id, [&](uint32_t Id) {
      return Nodes.get(Id) && Index.reserve(Id);
    });
    End += Id;
    // If another thread has inserted the same path in the meantime, later
    // look-ups find the other nodes; these nodes are valid for this event.
    for (bool IsFirst = true; I < N; ++I) {
      if (uint32_t Code = CodeAt(I)) {
        if (Id == End)
          break;
        wire::Node &Node = Nodes[Id];
        Node.Parent.store(Parent, std::memory_order_relaxed);
        Node.Code.store(Code, std::memory_order_release);
        IsFirst = IsFirst && Index.insert(Parent, Code, Id) == Id;
        Parent = Id++;
      }
      Take(I, Parent);
    }
    return I;
  }

  wire::Control *Ctl = nullptr;
  std::atomic<uint32_t> Marks[2]{};
  Pieces<wire::Node, 4096> Nodes;
  Pieces<wire::Code, 1024> Codes;
  NodeIndex Index;
  PairIndex Pairs;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_STACKTABLE_H
