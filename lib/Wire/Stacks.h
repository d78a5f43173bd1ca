// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks in the shared memory.
//
// Nodes (parent + code), code (address + binary), binaries, Python's functions
// and texts: tables that the program fills and the recorder reads. A part of
// Layout.h, which says who writes what.

#ifndef MEMKIT_LIB_WIRE_STACKS_H
#define MEMKIT_LIB_WIRE_STACKS_H

#include <atomic>
#include <cstdint>

namespace memkit::wire {

/// Node ids are dense from 1 (0: the root). A node is written before any record
/// that names it is published; Parent is less than its own id.
///
/// Three kinds of path stand in the one tree: native frames; Python frames
/// alone (codes of the kinds Python and PythonEntry, from the root); and a
/// *pair*, a leaf that says: the native path Parent (0: none is known), in
/// whose evaluator frames the Python path PairBit ^ Code runs. Both are less
/// than the pair's own id; a pair has no children.
struct Node {
  std::atomic<uint32_t> Parent;
  std::atomic<uint32_t> Code; ///< 0: not written yet
};
static_assert(sizeof(Node) == 8);
inline constexpr uint32_t PairBit = 1u << 31;

enum class CodeKind : uint32_t {
  None = 0,
  Native = 1, ///< Address: a return address less 1, or the caller's pc
  Gap = 2,    ///< frames left out here (--max-depth)
  NoCfi = 3,  ///< the unwinder could not go on from its child
  /// A line of a Python function. Address: the line, 0: not known; Container:
  /// the id of the PythonFunction.
  Python = 4,
  /// The same, for a frame with which a run of the evaluator begins: it and the
  /// Python frames inside it, up to the next entry, are run by one native frame
  /// of the kind Evaluator. The n-th entry of a thread's stack, from the root,
  /// belongs to its n-th evaluator frame.
  PythonEntry = 5,
  /// As Native, within the interpreter's evaluator.
  Evaluator = 6,
};
inline constexpr uint32_t NumCodeKinds = 7;

/// Code ids are dense from 1. One id for each (address, binary): after a binary
/// is unmapped its ids are not used again.
struct Code {
  std::atomic<uint64_t> Address;
  std::atomic<uint32_t> Container; ///< id, 0: no binary owns the address
  std::atomic<uint32_t> Kind;      ///< CodeKind, written last
};
static_assert(sizeof(Code) == 16);

enum class BinaryState : uint32_t { None = 0, Mapped = 1, Unmapped = 2 };

/// Binary ids are dense from 1. State is written last.
struct Binary {
  uint64_t Start; ///< of its lowest mapping
  uint64_t End;
  uint64_t Bias; ///< load-time address - address in the file's headers
  std::atomic<uint32_t> State;
  uint32_t BuildIdSize; ///< 0: none found
  uint8_t BuildId[32];
  char Path[960]; ///< ends with NUL; as the loader names it
};
static_assert(sizeof(Binary) == 1024);

/// A Python function (a code object). Ids are dense from 1. One id for each
/// code object; when its memory is used for another, that has an id of its own.
struct PythonFunction {
  uint32_t File; ///< text
  uint32_t Name; ///< text: its qualified name, where the version has it
  uint32_t FirstLine;
  std::atomic<uint32_t> State; ///< 1: written; last
};
static_assert(sizeof(PythonFunction) == 16);

/// Texts stand in a region of bytes one after another, each at a multiple of
/// TextAlign: its size in bytes as a uint32_t, then as many bytes of UTF-8 (a
/// lone surrogate as `\udcXX`), without a NUL. A text's number is its offset /
/// TextAlign + 1; 0: no text. It is written before what names it, and lies
/// within one piece of PieceBytes.
inline constexpr uint64_t TextAlign = 8;
inline constexpr uint32_t MaxTextBytes = 4096; ///< longer ones are cut

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_STACKS_H
