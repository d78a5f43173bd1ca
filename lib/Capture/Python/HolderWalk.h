// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks from Python's names to all objects that the names hold.
//
// The package memkit starts a walk at its roots (modules, frames), and names
// the objects that the walk selects. The walk itself calls only the traverse
// functions of types, as the garbage collector does: no code of the program
// runs, and the interpreter allocates nothing. The walk's tables are mappings
// of its own, which are not recorded.
//
// The walk holds a reference to each object that it has seen until end(), so
// that the package may run Python between two parts of a walk.
//
// All functions need the interpreter's lock.

#ifndef MEMKIT_CAPTURE_PYTHON_HOLDERWALK_H
#define MEMKIT_CAPTURE_PYTHON_HOLDERWALK_H

#include "ObjectSizes.h"
#include "Stacks/Exports.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memkit::capture {

/// Bits of HeldNode::Flags; python/memkit/_holders.py has them, too.
enum HeldNodeFlags : uint32_t {
  HN_Special = 0xff,  ///< number of the type in the list of begin(), from 1
  HN_Outside = 0x100, ///< no name of Python leads to the object
  HN_Cycle = 0x200,   ///< only objects of a cycle hold the object
  HN_Large = 0x400,   ///< much memory lies below the object
  HN_Example = 0x800, ///< below an object with HN_Large
};

/// An object that the walk has seen. The package reads and writes nodes.
struct HeldNode {
  uintptr_t Object;
  uint32_t Parent;  ///< node of the first object seen with a reference; 0: none
  uint32_t Flags;   ///< HeldNodeFlags
  uint64_t Address; ///< of the object's data
  uint64_t Bytes;   ///< of the data, about; 0: none
  uint64_t Total;   ///< Bytes of the node and of all nodes below
  uint32_t Kids;    ///< nodes with this parent; in rest(): references
  uint32_t Local;   ///< of a local of a frame: its number, from 1
};
static_assert(sizeof(HeldNode) == 48);

class HolderWalk {
public:
  /// \p E: the interpreter's symbols. Without all of them no walk begins.
  void begin(const Exports &E);

  /// Begins a walk of at most \p Ms milliseconds and \p MaxNodes objects.
  /// Types: special types, a tuple. Data of less than \p LeastBytes cannot be
  /// recorded blocks. False: a walk goes on, no memory, or the interpreter's
  /// layout is not known.
  bool start(uint32_t Ms, uint32_t MaxNodes, uintptr_t Types,
             uint64_t LeastBytes);
  /// Adds an object; its node, or 0 if it was there, if the table is full, or
  /// if the object is small and holds no other.
  uint32_t add(uintptr_t Object, uint32_t Parent, uint32_t Flags);
  /// Follows the references of all objects without their turn so far. False:
  /// the time or the table ended first.
  bool run();
  /// Adds the objects of \p List that no name has reached, with HN_Outside or
  /// HN_Cycle, and follows their references. As gc's search for garbage: an
  /// object with more references than its fellows hold is held from outside.
  bool rest(uintptr_t List);
  /// The nodes to name, in rising order: the largest data, and examples of what
  /// lies below large objects. Returns the number of nodes in \p To.
  uint32_t select(uint32_t *To, uint32_t Room);
  /// The first node after \p Node of a special type; 0: none.
  uint32_t nextSpecial(uint32_t Node) const;
  /// Drops all references and unmaps the tables. May run code of the program.
  void end();

  HeldNode *nodes() { return Nodes; }
  uint32_t count() const { return Count; } ///< of nodes, with node 0
  uint64_t spentNs() const;
  bool isStopped() const { return Stopped; }
  void stop() { Stopped = true; } ///< not all can be reported
  bool isActive() const { return Nodes != nullptr; }

private:
  static int visit(uintptr_t Child, void *Walk);
  static int visitRest(uintptr_t Child, void *Walk);
  uint32_t find(uintptr_t Object, uint32_t &Slot) const;
  bool growIndex();
  bool isLate();
  void addRest(uintptr_t List);
  void subtractInner(uint32_t From);
  bool follow(uint32_t First, uint32_t Last, uint32_t Flag);

  ObjectSizes Sizes;
  void (*Take)(uintptr_t) = nullptr;
  void (*Drop)(uintptr_t) = nullptr;

  /// From 3.12 on each interpreter of a process may have a lock of its own.
  std::atomic<bool> Busy{false};
  HeldNode *Nodes = nullptr; ///< null: no walk
  uint32_t Count = 0, MaxNodes = 0;
  uint32_t Next = 0;         ///< the first node without its turn
  uint32_t Current = 0;      ///< the node whose turn it is
  uint32_t Flag = 0;         ///< of new nodes
  uint32_t *Index = nullptr; ///< hash table of nodes; 0: free
  uint32_t IndexBits = 0;
  uint32_t RestFrom = 0; ///< the first node of rest()
  uint64_t BeginNs = 0, EndNs = 0;
  uint32_t Ticks = 0;
  uint64_t LeastBytes = 0;
  bool Stopped = false;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_HOLDERWALK_H
