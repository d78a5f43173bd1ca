// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the buffers of a plugin for PJRT.

#include "PjrtTable.h"

#include "Host/SampleSet.h"
#include "JaxHooks.h"
#include "PjrtApi.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Runtime/TensorSlots.h"
#include "Stacks/Stack.h"

#include <cstring>
#include <iterator>
#include <utility>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::pjrt;

namespace {
/// A plugin; children of fork inherit it.
struct Plugin {
  std::atomic<void *(*)()> Get; ///< the plugin's GetPjrtApi
  std::atomic<uint32_t> Type;   ///< wire::JaxDevice, by the platform's name
  std::atomic<bool> IsCopied;
  uintptr_t Real[MaxWords], Copy[MaxWords];
};
/// Live buffers of this process. Fork wipes the pages.
struct alignas(PageBytes) LiveBuffers {
  SampleSet Handles;
};
} // namespace

static constexpr unsigned MaxPlugins = 4;
static constinit Plugin Plugins[MaxPlugins]{};
static constinit LiveBuffers Live{};

//===----------------------------------------------------------------------===//
// The plugin's own functions
//===----------------------------------------------------------------------===//

static void *call(const Plugin &P, unsigned Word, void *Arguments) {
  return reinterpret_cast<PjrtFunction>(P.Real[Word])(Arguments);
}

static void destroyError(const Plugin &P, void *Error) {
  OneObject O{.Object = Error};
  if (Error)
    call(P, ErrorDestroy, &O);
}

/// The answer to a question about \p Object; false: an error.
static bool ask(const Plugin &P, unsigned Word, void *Object, uintptr_t &To) {
  ObjectQuestion Q{.Object = Object};
  void *Error = P.Real[Word] ? call(P, Word, &Q) : nullptr;
  destroyError(P, Error);
  To = Q.Answer;
  return P.Real[Word] && !Error;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The number of the device of a buffer; NoTensorSlot: not known.
static uint32_t slotOf(const Plugin &P, void *Buffer) {
  uintptr_t Device, Description, Id;
  if (!ask(P, BufferDevice, Buffer, Device) ||
      !ask(P, DeviceDescription, reinterpret_cast<void *>(Device),
           Description) ||
      !ask(P, DescriptionId, reinterpret_cast<void *>(Description), Id))
    return NoTensorSlot;
  uint32_t Type = P.Type.load(std::memory_order_relaxed);
  // The id is 32 bits of the word.
  uint32_t Index = uint32_t(Id) < 128 ? uint32_t(Id) : 127;
  return tensorSlot(*Jax.Ctl,
                    wire::TensorDeviceWord::pack(wire::TensorFramework::Jax,
                                                 uint16_t(Index << 8 | Type)));
}

static void begin(const Plugin &P, void *Buffer, const CallerFrame &Caller) {
  ThreadState *T = Buffer ? recordingThread() : nullptr;
  uintptr_t Size;
  if (!T || !Jax.wantsBuffers() || !isRecording() ||
      !ask(P, BufferSize, Buffer, Size))
    return;
  uint32_t Slot = slotOf(P, Buffer);
  if (Slot == NoTensorSlot || !hasRoom(*T) || !Live.Handles.insert(Buffer))
    return;
  uint32_t Stack = stackNode(*T, Caller);
  if (T->Epoch == Proc.Epoch.load(std::memory_order_relaxed))
    T->Ring.write(wire::TensorAllocateRecord{uintptr_t(Buffer), Size,
                                             uint8_t(Slot), Stack});
}

/// The buffer's memory is about to be free, or belongs to another buffer.
static void end(const Plugin &P, void *Buffer) {
  ThreadState *T = recordingThread();
  if (!T || !Buffer || !Live.Handles.remove(Buffer))
    return;
  if (uint32_t Slot = slotOf(P, Buffer); Slot != NoTensorSlot && hasRoom(*T))
    T->Ring.write(
        wire::TensorFreeRecord{uintptr_t(Buffer), false, uint8_t(Slot)});
}

/// The number of results of a loaded program on each device.
static size_t outputsOf(const Plugin &P, void *Loaded) {
  uintptr_t Program, Count = 0;
  if (!ask(P, LoadedExecutable, Loaded, Program))
    return 0;
  if (!ask(P, ExecutableNumOutputs, reinterpret_cast<void *>(Program), Count))
    Count = 0;
  OneObject O{.Object = reinterpret_cast<void *>(Program)};
  destroyError(P, call(P, ExecutableDestroy, &O));
  return Count;
}

//===----------------------------------------------------------------------===//
// The functions in the copy
//===----------------------------------------------------------------------===//

namespace {
template <unsigned I> struct Functions {
  static void *createClient(void *Arguments) {
    Plugin &P = Plugins[I];
    void *Error = call(P, ClientCreate, Arguments);
    auto *A = static_cast<CreateClient *>(Arguments);
    if (Error || !recordingThread())
      return Error;
    TextQuestion Q{.Object = A->Client};
    void *Refused = call(P, ClientPlatformName, &Q);
    destroyError(P, Refused);
    if (!Refused && Q.Text)
      P.Type.store(wire::jaxDevice(Q.Text, Q.TextSize),
                   std::memory_order_relaxed);
    return nullptr;
  }

  static void *fromHost(void *Arguments) {
    CallerFrame Caller = MEMKIT_CALLER;
    void *Error = call(Plugins[I], BufferFromHostBuffer, Arguments);
    if (!Error)
      begin(Plugins[I], static_cast<FromHostBuffer *>(Arguments)->Buffer,
            Caller);
    return Error;
  }

  template <unsigned Word> static void *copy(void *Arguments) {
    CallerFrame Caller = MEMKIT_CALLER;
    void *Error = call(Plugins[I], Word, Arguments);
    if (!Error)
      begin(Plugins[I], static_cast<CopyBuffer *>(Arguments)->Copy, Caller);
    return Error;
  }

  template <unsigned Word> static void *remove(void *Arguments) {
    end(Plugins[I], static_cast<OneObject *>(Arguments)->Object);
    return call(Plugins[I], Word, Arguments);
  }

  static void *execute(void *Arguments) {
    CallerFrame Caller = MEMKIT_CALLER;
    const Plugin &P = Plugins[I];
    void *Error = call(P, Execute, Arguments);
    if (Error || !recordingThread() || !Jax.wantsBuffers())
      return Error;
    auto *A = static_cast<ExecuteProgram *>(Arguments);
    size_t NumOutputs = A->Outputs ? outputsOf(P, A->Program) : 0;
    for (size_t D = 0; D != A->NumDevices; ++D) {
      // A donated argument has given its memory to a result.
      for (size_t N = 0; N != A->NumArguments; ++N) {
        uintptr_t IsDeleted;
        void *Buffer = A->Arguments[D][N];
        if (ask(P, BufferIsDeleted, Buffer, IsDeleted) && uint8_t(IsDeleted))
          end(P, Buffer);
      }
      for (size_t N = 0; N != NumOutputs; ++N)
        begin(P, A->Outputs[D][N], Caller);
    }
    return nullptr;
  }

  static void *get();
};
} // namespace

static bool isUsable(const uintptr_t *Table) {
  size_t Words = Table[SizeWord] / sizeof(uintptr_t);
  uint32_t Major = uint32_t(Table[MajorWord]);
  if (Words < MinWords || Words > MaxWords || Major != 0)
    return false;
  for (unsigned Word :
       {ErrorDestroy, ClientCreate, ClientPlatformName, BufferFromHostBuffer,
        DescriptionId, DeviceDescription, ExecutableDestroy,
        ExecutableNumOutputs, LoadedExecutable, Execute, BufferDestroy,
        BufferSize, BufferDevice, BufferDelete, BufferIsDeleted,
        BufferCopyToDevice})
    if (!Table[Word])
      return false;
  return true;
}

/// The plugin's GetPjrtApi, with a copy of the table. Concurrent threads make
/// equal copies.
template <unsigned I> void *Functions<I>::get() {
  Plugin &P = Plugins[I];
  auto *Table =
      static_cast<uintptr_t *>(P.Get.load(std::memory_order_acquire)());
  if (!Table || P.IsCopied.load(std::memory_order_acquire))
    return Table ? P.Copy : nullptr;
  if (!isUsable(Table))
    return Table;
  memcpy(P.Real, Table, Table[SizeWord]);
  memcpy(P.Copy, Table, Table[SizeWord]);
  auto Set = [&](unsigned Word, PjrtFunction F) {
    if ((Word + 1) * sizeof(uintptr_t) <= Table[SizeWord] && Table[Word])
      P.Copy[Word] = uintptr_t(F);
  };
  Set(ClientCreate, createClient);
  Set(BufferFromHostBuffer, fromHost);
  Set(Execute, execute);
  Set(BufferDestroy, remove<BufferDestroy>);
  Set(BufferDelete, remove<BufferDelete>);
  Set(BufferCopyToDevice, copy<BufferCopyToDevice>);
  Set(BufferCopyToMemory, copy<BufferCopyToMemory>);
  P.Type.store(wire::jaxDevice("", 0), std::memory_order_relaxed);
  P.IsCopied.store(true, std::memory_order_release);
  return P.Copy;
}

template <unsigned... I>
static void *getFunction(unsigned Which,
                         std::integer_sequence<unsigned, I...>) {
  static constexpr void *(*All[])() = {Functions<I>::get...};
  return reinterpret_cast<void *>(All[Which]);
}

void *capture::pjrtFunction(void *Found) {
  if (!recordingThread() || !Jax.wantsBuffers())
    return Found;
  auto Get = reinterpret_cast<void *(*)()>(Found);
  for (unsigned I = 0; I != MaxPlugins; ++I) {
    void *(*Is)() = nullptr;
    if (Plugins[I].Get.compare_exchange_strong(Is, Get) || Is == Get)
      return getFunction(I, std::make_integer_sequence<unsigned, MaxPlugins>());
  }
  return Found;
}

/// Called by the hook of dlsym for names that start with `Ge`.
extern "C" __attribute__((visibility("hidden"))) void *
memrecPlugin(const char *Name, void *Found) {
  return strcmp(Name, "GetPjrtApi") == 0 ? pjrtFunction(Found) : Found;
}

constinit const Source capture::PjrtSource = {.State = &Live,
                                              .StateBytes = sizeof(Live)};
