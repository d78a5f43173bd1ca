// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks in the shared memory.
//
// Nodes (parent + code), codes (address + binary), binaries, Python functions
// and texts: tables that the program fills and the recorder reads. A part of
// Layout.h, which defines the writer of each field.

#ifndef MEMKIT_LIB_WIRE_STACKS_H
#define MEMKIT_LIB_WIRE_STACKS_H

#include <atomic>
#include <cstdint>

namespace memkit::wire {

/// A node of the stack tree. Ids are dense from 1 (0: the root). A node is
/// written before any record that names it is published. Parent is less than
/// the node's own id.
///
/// The tree has three kinds of path: native frames; Python frames alone (codes
/// of the kinds Python and PythonEntry, from the root); and pairs. A *pair* is
/// a leaf that joins two paths: the native path Parent (0: not known), and the
/// Python path PairBit ^ Code, which runs in evaluator frames of the native
/// path. Both ids are less than the pair's own id; a pair has no children.
struct Node {
  std::atomic<uint32_t> Parent;
  std::atomic<uint32_t> Code; ///< 0: not written yet
};
static_assert(sizeof(Node) == 8);
inline constexpr uint32_t PairBit = 1u << 31;

enum class CodeKind : uint32_t {
  None = 0,
  Native = 1, ///< Address: a return address less 1, or the caller's pc
  Gap = 2,    ///< frames are left out here (--max-depth)
  NoCfi = 3,  ///< the unwinder could not continue from its child
  /// A line of a Python function. Address: the line, 0: not known; Container:
  /// the id of the PythonFunction.
  Python = 4,
  /// As Python, for the first Python frame of a run of the evaluator. One
  /// native frame of the kind Evaluator runs this frame and the Python frames
  /// inside it, up to the next entry. The n-th entry of a thread's stack, from
  /// the root, belongs to its n-th evaluator frame.
  PythonEntry = 5,
  /// As Native, within the interpreter's evaluator.
  Evaluator = 6,
};
inline constexpr uint32_t NumCodeKinds = 7;

/// A code address. Ids are dense from 1. Each (address, binary) has one id;
/// after a binary is unmapped, its ids are not used again.
struct Code {
  std::atomic<uint64_t> Address;
  std::atomic<uint32_t> Container; ///< id; 0: the address is in no binary
  std::atomic<uint32_t> Kind;      ///< CodeKind, written last
};
static_assert(sizeof(Code) == 16);

enum class BinaryState : uint32_t { None = 0, Mapped = 1, Unmapped = 2 };

/// A loaded binary. Ids are dense from 1. State is written last.
struct MappedBinary {
  uint64_t Start; ///< of its lowest mapping
  uint64_t End;
  uint64_t Bias; ///< load-time address - address in the file's headers
  std::atomic<uint32_t> State;
  uint32_t BuildIdSize; ///< 0: none found
  uint8_t BuildId[32];
  char Path[960]; ///< ends with NUL; as the loader names it
};
static_assert(sizeof(MappedBinary) == 1024);

/// A Python function (a code object). Ids are dense from 1. Each code object
/// has one id; a later code object at its address has another id.
struct PythonFunction {
  uint32_t File; ///< text
  uint32_t Name; ///< text: its qualified name, if the version has one
  uint32_t FirstLine;
  std::atomic<uint32_t> State; ///< 1: written; last
};
static_assert(sizeof(PythonFunction) == 16);

/// Texts lie one after another in a region of bytes, each at a multiple of
/// TextAlign: the size in bytes as a uint32_t, then the bytes as UTF-8 (a lone
/// surrogate as `\udcXX`), without a NUL. A text's number is its offset /
/// TextAlign + 1; 0: no text. A text is written before any entry that names it,
/// and lies within one piece of PieceBytes.
inline constexpr uint64_t TextAlign = 8;
inline constexpr uint32_t MaxTextBytes = 4096; ///< longer texts are cut

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_STACKS_H
