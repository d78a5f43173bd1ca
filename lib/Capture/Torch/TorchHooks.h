// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records PyTorch's reports of its memory.
//
// libc10 reports each tensor's memory to a profiler, by functions that other
// libraries of PyTorch call through their symbols. memkit defines the same
// symbols and calls libc10's functions, so torch.profiler works as usual. In a
// program that never calls the functions, nothing is loaded or looked up.
//
// The symbols are those of PyTorch 1.13 (the sizes as int64_t) and of 2.0 to
// 2.13. c10::Device is two bytes: type and index.

#ifndef MEMKIT_CAPTURE_TORCH_TORCHHOOKS_H
#define MEMKIT_CAPTURE_TORCH_TORCHHOOKS_H

#include "HeldTensors.h"
#include "InputShapes.h"
#include "LayerNames.h"
#include "Operators.h"
#include "Python/PendingCode.h"
#include "Runtime/Pieces.h"
#include "Runtime/Source.h"
#include "Runtime/TensorSlots.h"
#include "TensorDtypes.h"

namespace memkit::capture {

/// libc10's own functions, looked up at the first report. Any thread.
class TorchHooks {
public:
  void begin(wire::Control &C) {
    Ctl = &C;
    Bits = C.Settings.Torch;
  }

  /// Are tensors recorded even if no profiler wants them?
  bool wantsTensors() const { return Bits & wire::TB_Heaps; }
  bool wantsContexts() const { return Bits & wire::TB_Contexts; }
  bool wantsShapes() const { return Bits & wire::TB_Shapes; }

  /// Does a profiler want tensors of the CPU?
  bool isProfiled() { return lookUp() && Enabled(); }
  void forward(void *P, int64_t Size, uint64_t Allocated, uint64_t Reserved,
               uint16_t Device);
  void forwardOom(int64_t Size, uint64_t Allocated, uint64_t Reserved,
                  uint16_t Device);

  Operators &operators() { return Observer; }
  LayerNames &layers() { return Names; }
  HeldTensors &held() { return Held; }
  InputShapes &shapes() { return Shapes; }
  TensorDtypes &dtypes() { return Dtypes; }
  PendingCode &compiled() { return Compiled; }

  /// As tensorSlot().
  uint32_t slotOf(uint16_t Device);

  /// Have the reserved bytes of a slot changed since the last call?
  bool noteReserved(uint32_t Slot, uint64_t Bytes) {
    return Reserved[Slot].exchange(Bytes, std::memory_order_relaxed) != Bytes;
  }

private:
  using EnabledFn = bool (*)();
  using ReportFn = void (*)(void *, int64_t, uint64_t, uint64_t, uint16_t);
  using OomFn = void (*)(int64_t, uint64_t, uint64_t, uint16_t);
  enum : uint32_t { New = 0, Found = 1, Missing = 2 };

  bool lookUp() {
    uint32_t Is = State.load(std::memory_order_acquire);
    return __builtin_expect(Is == Found, 1) || (Is == New && find());
  }
  bool find();
  static bool lookUpOwn();

  wire::Control *Ctl = nullptr;
  Operators Observer;
  LayerNames Names;
  HeldTensors Held;
  InputShapes Shapes;
  PendingCode Compiled;
  TensorDtypes Dtypes;
  uint32_t Bits = 0; ///< wire::TorchBits
  std::atomic<uint32_t> State{New};
  EnabledFn Enabled = nullptr;
  ReportFn Report = nullptr;
  OomFn Oom = nullptr;
  std::atomic<uint64_t> Reserved[wire::MaxTensorDevices] = {};
};

/// Fork wipes the page.
struct alignas(PageBytes) ProcessTorch : TorchHooks {};
extern ProcessTorch Torch;

extern const Source TorchSource;
/// Of BackwardPass.cpp.
extern const Source BackwardSource;

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_TORCHHOOKS_H
