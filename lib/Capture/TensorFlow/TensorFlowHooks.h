// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the tensors, operators and functions of TensorFlow 2.
//
// TensorFlow's libraries call each other, and their own virtual functions,
// through symbols. memkit defines some of the same symbols and calls
// TensorFlow's functions. In a program that never calls the functions, nothing
// is loaded or looked up.
//
// What a version lacks is a bit in the shared memory; the recorder reports it.

#ifndef MEMKIT_CAPTURE_TENSORFLOW_TENSORFLOWHOOKS_H
#define MEMKIT_CAPTURE_TENSORFLOW_TENSORFLOWHOOKS_H

#include "KerasNames.h"
#include "Runtime/Pieces.h"
#include "Runtime/ScopeStack.h"
#include "Runtime/Source.h"
#include "StepTable.h"

namespace memkit::capture::tf {

/// TF_StringView.
struct NameView {
  const char *Text;
  size_t Bytes;
};

/// Functions of TensorFlow that the hooks call. Children of fork keep them.
struct CalledFunctions {
  NameView (*OperatorName)(const void *Context);
  int64_t (*StepId)(const void *Context);
  int (*NumOutputs)(const void *Context);
  int (*OutputType)(const void *Context, int Number);
  const char *(*CallName)(const void *Op, void *Status);
  NameView (*ProgramName)(const void *Executable); ///< bytes, then text
  const void *(*ProgramModule)(const void *Executable);
  const char *(*Version)();
  // Of shapes; null: not there.
  int (*NumInputs)(const void *Context);
  const void *(*Input)(const void *Context, int Number); ///< a Tensor
  void *(*Result)(void *Status, const void *Context, size_t Bytes,
                  const char *Name, const void **Tensor);
  int (*Rank)(const void *Shape);
  int64_t (*Dimension)(const void *Shape, int Number);
  /// TensorFlowBits of what is missing.
  uint32_t Missing;
};
extern CalledFunctions Called;

class TensorFlowHooks {
public:
  void begin(wire::Control &C) {
    Ctl = &C;
    Bits = C.Settings.Torch;
  }
  bool wantsTensors() const { return Bits & wire::TB_Heaps; }
  bool wantsScopes() const { return Bits & wire::TB_Contexts; }
  bool wantsShapes() const { return Bits & wire::TB_Shapes; }

  /// Looks up what the hooks call and reports what is missing, once in a
  /// process. False: the functions for scopes are missing.
  bool isExamined() {
    uint32_t Is = State.load(std::memory_order_acquire);
    return __builtin_expect(Is == Usable, 1) || (Is == New && examine());
  }
  /// A tensor is recorded. The first are allocated while TensorFlow's libraries
  /// are loaded; many later ones without any operator, and the operators' hook
  /// is missing.
  void noteTensor() {
    if (__builtin_expect(State.load(std::memory_order_relaxed) == New, 0) &&
        Early.fetch_add(1, std::memory_order_relaxed) == MaxEarly)
      examine();
  }
  /// Adds to the reported bits.
  void reportMissing(uint32_t Bit) {
    Ctl->Findings[wire::FS_TensorFlow].Code.fetch_or(Bit,
                                                     std::memory_order_relaxed);
  }

  /// The number of the host among the devices of this process, or
  /// NoTensorSlot.
  uint32_t hostSlot();

  KerasNames &names() { return Names; }
  StepTable &steps() { return Steps; }

private:
  enum : uint32_t { New = 0, Usable = 1, Unusable = 2 };
  static constexpr uint32_t MaxEarly = 1024;
  bool examine();

  wire::Control *Ctl = nullptr;
  uint32_t Bits = 0; ///< wire::TorchBits
  std::atomic<uint32_t> State{New}, Early{0};
  std::atomic<uint32_t> Slot{0}; ///< plus 1; 0: not asked yet
  KerasNames Names;
  StepTable Steps;
};

/// Fork wipes the page.
struct alignas(PageBytes) ProcessTensorFlow : TensorFlowHooks {};
extern ProcessTensorFlow Hooks;

/// A call of a function that runs in a thread.
struct RunningFunction {
  uint64_t Number; ///< of its range; 0: not recorded
  uint32_t Node;   ///< of Python's frames; 0: none
};

struct TensorFlowThread {
  ScopeStack Scopes;
  RunningFunction Function; ///< innermost
  /// The last step that an operator without Python's frames belonged to, and
  /// the caller's frames; 0: no step.
  int64_t Step;
  uint32_t StepNode;
};

/// Of the calling thread.
extern __thread TensorFlowThread ThisTensorFlow
    __attribute__((tls_model("initial-exec")));

/// The calling thread, if scopes are recorded and it has a stack of scopes.
ThreadState *scopesThread();

/// No scope was opened.
inline constexpr uint32_t NotOpen = ~0u;

/// Ends the scope at \p Place of the thread's stack and the scopes inside; does
/// nothing after a fork.
void endScope(uint32_t Place);

/// Brings the thread's scopes of Keras's layers and optimizers in line with its
/// Python frames. \p Node: as interpreterNode() has just returned.
void followCalls(ThreadState &T, uint32_t Node);

/// Room for a name of functionName().
struct FunctionText {
  char Characters[256];
};

/// `train_step` of `__inference_train_step_1496`, in \p To. A function that
/// computes the gradient of another is `gradient of f`.
NameView functionName(const NameView &Name, FunctionText &To);

/// The innermost marked frame of the thread's last walk computes a gradient.
bool isInGradient(uint32_t Node);
/// Copies the name scope of the operator whose gradient is computed; returns
/// the size, 0 if unknown.
uint32_t copyGradientScope(char *To, uint32_t Max);

} // namespace memkit::capture::tf

namespace memkit::capture {
extern const Source TensorFlowSource;
/// The allocators of GPUs.
extern const Source TensorFlowDeviceSource;
} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TENSORFLOW_TENSORFLOWHOOKS_H
