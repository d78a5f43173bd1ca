// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of scopes, marks and questions.
//
// Texts are numbers of the text table; 0: none.

#ifndef MEMKIT_LIB_WIRE_SCOPERECORDS_H
#define MEMKIT_LIB_WIRE_SCOPERECORDS_H

#include "Record.h"

namespace memkit::wire {

/// Flags of a scope, above its text.
enum ScopeFlags : uint64_t {
  SF_NoPath = 1ull << 32,    ///< measured, but no part of scope paths
  SF_NoMeasure = 2ull << 32, ///< a part of scope paths, but not measured
  SF_Python = 4ull << 32,    ///< the innermost frames are the package's own
};
/// The kind of a scope, among its flags; none of these: a scope of the
/// program's own. Layers are found by frames. Layers and the kinds below are
/// numerous, so they have no stack.
enum ScopeKindFlag : uint64_t {
  SF_Layer = 1ull << 36,
  SF_Operator = 2ull << 36,
  SF_Range = 3ull << 36,
  SF_Backward = 4ull << 36, ///< a node of autograd
  SF_Nvtx = 5ull << 36,
  SF_Continued = 6ull << 36, ///< work for an operator that began before
  SF_KindMask = 15ull << 36,
  /// Of a layer: the text is unique to this scope, a placeholder for a name
  /// that a ScopeNameRecord may define.
  SF_Unnamed = 1ull << 40,
  /// TensorFlow's layer, operator or range, not PyTorch's.
  SF_TensorFlow = 1ull << 41,
  /// Of a range of TensorFlow: a call of a tf.function, in the caller's thread.
  SF_Function = 1ull << 42,
  /// Of a range of TensorFlow: the thread works for a tf.function. The number
  /// of the function's range is Detail.
  SF_Link = 1ull << 43,
  /// Of a range of TensorFlow: not in the scopes that are open.
  SF_Outside = 1ull << 44,
  /// Of a layer of PyTorch: the text is the last part of the name, inside of
  /// the name of the outer layer.
  SF_Inner = 1ull << 45,
  /// Of an operator of TensorFlow: the text of the graph's node is followed by
  /// a newline and the dtypes and shapes of the inputs.
  SF_WithInputs = 1ull << 46,
};
/// In a scope's flags, of TensorFlow's operators: the number of the data type
/// (TF_DataType) of the first result; 0: none.
inline constexpr unsigned SF_DataTypeShift = 48;

/// The thread enters a scope.
struct ScopeBeginRecord {
  using Layout =
      RecordLayout<RecordKind::ScopeBegin, AddressBits<UINT32_MAX>,
                   AddressBits<~uint64_t(UINT32_MAX)>, InSize, InStackAndExtra>;
  uint32_t Text;   ///< the name's
  uint64_t Flags;  ///< ScopeFlags | ScopeKindFlag
  uint64_t Number; ///< rising; each scope of the process has its own number
  /// By kind; made by the functions below.
  uint64_t Detail;

  static constexpr uint64_t atStack(uint32_t Node) { return Node; }
  /// Low: see optimizer(), graphNode() and inputs().
  static constexpr uint64_t inPython(uint32_t Node, uint32_t Low = 0) {
    return uint64_t(Node) << 32 | Low;
  }
  static constexpr uint64_t withColor(uint32_t Argb) {
    return uint64_t(Argb) << 32;
  }
  /// A scope of the program's own: the node where the scope begins.
  constexpr uint32_t stack() const { return uint32_t(Detail); }
  /// SF_Operator, SF_Range: the innermost node of Python's frames.
  constexpr uint32_t pythonNode() const { return uint32_t(Detail >> 32); }
  /// SF_Range: a number that distinguishes optimizers of one class; 0: the
  /// range is not an optimizer's.
  constexpr uint32_t optimizer() const { return uint32_t(Detail); }
  /// SF_Operator with SF_TensorFlow: the text of the graph node's name; 0: the
  /// name is the operator's.
  constexpr uint32_t graphNode() const { return uint32_t(Detail); }
  /// SF_Operator without SF_TensorFlow: the text of the dtypes and shapes of
  /// the inputs (`float32[64,128] float32[128]`); 0: not recorded, or no
  /// tensors.
  constexpr uint32_t inputs() const { return uint32_t(Detail); }
  /// SF_Operator with SF_TensorFlow.
  constexpr uint8_t dataType() const {
    return uint8_t(Flags >> SF_DataTypeShift);
  }
  /// SF_Link: the number of the function's range.
  constexpr uint64_t linkedRange() const { return Detail; }
  /// SF_Nvtx: ARGB; 0: none.
  constexpr uint32_t color() const { return uint32_t(Detail >> 32); }
  /// SF_Continued: the number of the operator, in any thread.
  constexpr uint64_t continued() const { return Detail; }
  /// SF_Backward: the number of the operator that made the node; 0: not known.
  constexpr uint64_t forwardOperator() const { return Detail; }
};

/// The scope ends, in any thread. The number of a scope that another process
/// began has no effect.
struct ScopeEndRecord {
  using Layout = RecordLayout<RecordKind::ScopeEnd, InSize>;
  uint64_t Number;
};

enum class MarkWhat : uint8_t {
  User = 0,
  Step = 1,
  On = 2,  ///< recording resumes
  Off = 3, ///< recording pauses
  RangeBegin = 4,
  RangeEnd = 5, ///< of a range that another thread may have begun
  Alert = 6,    ///< Text: a condition to watch; Range: its number, from 1
};

struct MarkRecord {
  using Layout =
      RecordLayout<RecordKind::Mark, InAddress, InSize, InStackAndExtra>;
  uint64_t Text; ///< the name's
  MarkWhat What;
  uint64_t Range; ///< the number of the range that begins or ends, else 0
};

/// The program waits for an answer in a slot of Layout.h's replies.
struct AskRecord {
  using Layout =
      RecordLayout<RecordKind::Ask, InAddress, SizeBits<0, 8>, SizeBits<8, 32>>;
  uint64_t Scope; ///< 0: the thread's innermost scope, or the process
  uint32_t Slot;
  uint32_t Ticket;
};

/// Scopes whose name is the text Unnamed (see SF_Unnamed) are called Name.
struct ScopeNameRecord {
  using Layout = RecordLayout<RecordKind::ScopeName, InAddress, InSize>;
  uint64_t Unnamed;
  uint64_t Name;
};

/// A parameter or buffer that a module of PyTorch or a layer of Keras holds
/// itself. The record with
/// Dtype 0 precedes those of a module: earlier ones of the layer do not count
/// any more.
struct LayerTensorRecord {
  using Layout = RecordLayout<RecordKind::LayerTensor, InAddress, InSize,
                              InFunction, InStack, InExtra>;
  uint64_t Address; ///< of the memory; without memory, of the object
  uint64_t Elements;
  uint8_t Kind;   ///< the bytes of an element; with BufferBit: a buffer
  uint32_t Layer; ///< the name's text
  uint32_t Dtype; ///< text: `float32`
  static constexpr uint8_t BufferBit = 0x80;
};

/// The floating point operations of the call of TensorFlow's operator that is
/// the thread's innermost, before the call ends.
struct OperatorWorkRecord {
  using Layout = RecordLayout<RecordKind::OperatorWork, InStackAndExtra>;
  uint64_t Flops;
};

using ScopeRecords =
    RecordList<ScopeBeginRecord, ScopeEndRecord, MarkRecord, AskRecord,
               ScopeNameRecord, LayerTensorRecord, OperatorWorkRecord>;

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_SCOPERECORDS_H
