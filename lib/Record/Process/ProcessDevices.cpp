// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CUDA's driver is asked for.
//
// Blocks of CUDA's driver: heaps of each device, and of the host's memory that
// it gives out or pins. What an allocator of PyTorch takes from it lies in
// them.

#include "Process/ProcessState.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;
using namespace memkit;
using wire::CudaFunction;
using wire::CudaHeap;
using wire::CudaPlace;
using wire::RecordKind;

/// The device of an ordinal of the process as the recording has it.
uint16_t ProcessState::cudaDevice(uint32_t Ordinal) {
  if (Ordinal >= wire::MaxCudaDevices)
    return Recording::NoCudaDevice;
  uint16_t &Known = CudaDevices[Ordinal];
  if (Known)
    return Known;
  const wire::CudaDevice &From = Shared->control().CudaDevices[Ordinal];
  Device D;
  bool IsTold = From.State.load(std::memory_order_acquire);
  if (IsTold) {
    auto Text = [](const char *Bytes, size_t Room) {
      return std::string(Bytes, strnlen(Bytes, Room));
    };
    D.Name = Text(From.Name, sizeof(From.Name));
    D.Pci = Text(From.Pci, sizeof(From.Pci));
    D.Bytes = From.Bytes;
    if (any_of(From.Uuid, [](uint8_t Byte) { return Byte != 0; }))
      D.Uuid.assign(std::begin(From.Uuid), std::end(From.Uuid));
  }
  return Known = R.cudaDevice(Ordinal, std::move(D));
}

bool ProcessState::findDeviceOf(uint64_t Address, const LiveEntry &E,
                                BlockRef &Out) const {
  const DeviceBlock *B =
      DeviceTable::find(DeviceBlocks.of(CudaHeap::Device), Address);
  const LiveEntry *Of = B ? &B->Entry : nullptr;
  if (!B) {
    B = DeviceTable::find(DeviceBlocks.of(CudaHeap::Reserved), Address);
    Of = B ? &B->Mapped : nullptr;
  }
  // One that came later is not what the block was put into.
  if (!Of || !Of->Row || Of->AllocationId > E.AllocationId)
    return false;
  Out = {Of->AllocationId, Of->Row, Of->ScopeRow};
  return true;
}

void ProcessState::deviceRecord(const wire::Record &Rec, uint32_t RingIndex) {
  uint32_t Heap = CudaPlace::heap(Rec.Extra);
  if (!R.Wanted.Cuda || Rec.function() >= wire::NumCudaFunctions ||
      (Heap >= wire::NumCudaHeaps && Heap != CudaPlace::AnyHeap))
    return bad();
  makeThread(RingIndex);
  DeviceUses::Look L;
  L.Thread = Rings[RingIndex].Thread;
  bool HasDevice = noteDevice(Rec, L);
  switch (RecordKind(Rec.kind())) {
  case RecordKind::DeviceAllocate:
    return isAddress(Rec.Address) && Heap != CudaPlace::AnyHeap
               ? putDevice(Rec, RingIndex)
               : bad();
  case RecordKind::DeviceFree:
    return deviceFree(Rec, RingIndex);
  case RecordKind::DeviceOom:
    return Heap != CudaPlace::AnyHeap ? deviceOom(Rec, RingIndex) : bad();
  case RecordKind::DeviceContextEnd:
    return endCudaContext(Rec, RingIndex);
  case RecordKind::DeviceDetail:
    if (Details.size() <= RingIndex)
      Details.resize(RingIndex + 1);
    Details[RingIndex] = {Rec.Address, Rec.size()};
    return;
  case RecordKind::DeviceMap:
    return isAddress(Rec.Address) && Rec.size() ? mapDevice(Rec, RingIndex)
                                                : bad();
  case RecordKind::DeviceUnmap:
    return isAddress(Rec.Address) ? unmapDevice(Rec, RingIndex) : bad();
  case RecordKind::DeviceReserved:
    return deviceReserved(Rec, RingIndex);
  case RecordKind::DeviceAsk:
    return HasDevice ? deviceAsk(Rec, L, RingIndex) : bad();
  default:
    return HasDevice ? deviceUsed(Rec, L) : bad();
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// A block of Size bytes at the record's address begins to live.
LiveEntry ProcessState::beginDevice(const wire::Record &Rec, uint32_t Heap,
                                    uint64_t Size, uint32_t RingIndex) {
  makeRoom(RingIndex);
  const Ring &S = Rings[RingIndex];
  uint32_t Stack = Stacks.driverStack(Rec.Stack, CudaFunction(Rec.function()));
  LiveEntry E;
  E.AllocationId = NextAllocationId++;
  E.Size = Size;
  E.AllocatedTick = R.nextTick(Rec.Tsc, Id);
  E.Row = R.Stats.stackRow(Id, Heap, Stack);
  E.ScopeRow = S.ScopePath ? scopeRow(Heap, S.ScopePath) : 0;
  BlockRef B{E.AllocationId, E.Row, E.ScopeRow};
  uint64_t Ns = E.AllocatedTick * TimeUnitNs;
  // Memory of the host that the driver has mapped is where we see it.
  bool OfHost = CudaPlace::heap(Rec.Extra) == uint32_t(CudaHeap::Pinned);
  const MapTable::Block *In = OfHost ? Maps.enclosing(Rec.Address) : nullptr;
  if (In && In->Entry.Row)
    allocateIn(*In, B, Size, Ns, S.Thread);
  else
    R.Stats.allocate(B, Size, Ns, S.Thread);
  noteDetail(Rec, RingIndex);
  // Of physical memory and arrays there is a handle.
  CudaHeap Of = CudaHeap(CudaPlace::heap(Rec.Extra));
  bool IsHandle = Rec.kind() == uint8_t(RecordKind::DeviceAllocate) &&
                  (Of == CudaHeap::Physical || Of == CudaHeap::Array);
  if (!IsHandle)
    noteAddress(Rec.Address);
  Log.allocate(S.Lane, E.AllocatedTick, Size, Stack,
               R.Stats.scopePathOf(E.ScopeRow), Heap);
  return E;
}

/// The event of the record's block comes next in the log: its stream and pool
/// go into the columns.
void ProcessState::noteDetail(const wire::Record &Rec, uint32_t RingIndex) {
  if (RingIndex >= Details.size() ||
      Rec.kind() != uint8_t(RecordKind::DeviceAllocate))
    return;
  Detail D = std::exchange(Details[RingIndex], {});
  if (uint32_t Stream = streamOf(D.Address))
    setColumn(Log.Columns.Stream, Log.size(), Stream);
  if (uint32_t Pool = D.Size ? poolOf(D.Size, 0) : 0)
    setColumn(Log.Columns.Pool, Log.size(), Pool);
}

void ProcessState::endDevice(DeviceBlock &B, uint64_t Tsc, uint32_t RingIndex) {
  for (LiveEntry *E : {&B.Entry, &B.Mapped})
    if (E->Row)
      emitFree(std::exchange(*E, LiveEntry()), Tsc, RingIndex);
}

/// Memory of another process that is opened again is at the same address, and
/// is closed as often.
static bool isOpened(const wire::Record &Rec, const DeviceBlock &B) {
  return Rec.function() == uint8_t(CudaFunction::IpcOpenMemHandle) &&
         B.heap() == CudaHeap::Imported;
}

void ProcessState::putDevice(const wire::Record &Rec, uint32_t RingIndex) {
  auto Heap = CudaHeap(CudaPlace::heap(Rec.Extra));
  if (Heap == CudaHeap::Physical)
    return putPhysical(Rec, RingIndex);
  uint64_t Begin = Rec.Address, End = Begin + std::max<uint64_t>(Rec.size(), 1);
  DeviceTable::Map &Of = DeviceBlocks.of(Heap);
  if (Heap == CudaHeap::Array)
    End = Begin + 1;
  auto Same = Of.find(Begin);
  if (Same != Of.end() && isOpened(Rec, Same->second)) {
    ++Same->second.References;
    return;
  }
  for (auto It = DeviceTable::overlapping(Of, Begin, End); It != Of.end();
       It = DeviceTable::overlapping(Of, Begin, End)) {
    // When a graph ends, and its addresses with it, is not heard.
    if (It->second.heap() != CudaHeap::Graph)
      R.addLoss(Id, LossKind::DoubleAllocate, 1);
    endDevice(It->second, Rec.Tsc, RingIndex);
    DeviceBlocks.erase(Of, It);
  }
  DeviceBlock B;
  B.End = End;
  B.Place = Rec.Extra;
  uint32_t InHeap =
      R.cudaHeap(Rec.function() == uint8_t(CudaFunction::ExternalMipmappedArray)
                     ? CudaHeap::Imported
                     : Heap,
                 cudaDevice(CudaPlace::device(Rec.Extra)));
  B.Entry = beginDevice(Rec, InHeap, Rec.size(), RingIndex);
  Of.emplace(Begin, B);
}

void ProcessState::deviceFree(const wire::Record &Rec, uint32_t RingIndex) {
  uint32_t Heap = CudaPlace::heap(Rec.Extra);
  DeviceTable::Map &Of = DeviceBlocks.of(
      Heap == CudaPlace::AnyHeap ? CudaHeap::Device : CudaHeap(Heap));
  auto It = Of.find(Rec.Address);
  if (It == Of.end()) {
    if (Forked)
      R.Stats.inheritedFree(Id);
    else if (!HasStopped) // else it may be of one that was not recorded
      R.addLoss(Id, LossKind::UnknownFree, 1);
    return;
  }
  if (It->second.heap() == CudaHeap::Physical)
    return releasePhysical(It, Rec.Tsc, RingIndex);
  if (It->second.References > 1) {
    --It->second.References;
    return;
  }
  endDevice(It->second, Rec.Tsc, RingIndex);
  // An address of a graph's is given out again at its next launch, which is not
  // heard of, and may be freed again.
  if (It->second.heap() != CudaHeap::Graph || !DeviceBlocks.keep(It->second))
    DeviceBlocks.erase(Of, It);
}

/// What was allocated in a context ends with it, but for what is of no context.
void ProcessState::endCudaContext(const wire::Record &Rec, uint32_t RingIndex) {
  uint32_t Context = CudaPlace::context(Rec.Extra);
  R.Uses.ended({Id, Context});
  if (Context < CudaContexts.size())
    CudaContexts.reset(Context);
  uint64_t Blocks = 0, Bytes = 0;
  for (unsigned I = 0; I != DeviceTable::NumTables; ++I) {
    DeviceTable::Map &Of = DeviceBlocks.table(I);
    for (auto It = Of.begin(); It != Of.end();) {
      DeviceBlock &B = It->second;
      if (!Context || CudaPlace::context(B.Place) != Context ||
          B.heap() == CudaHeap::Reserved || B.heap() == CudaHeap::Physical) {
        ++It;
        continue;
      }
      Blocks += B.Entry.Row != 0;
      Bytes += B.Entry.Size;
      endDevice(B, Rec.Tsc, RingIndex);
      It = DeviceBlocks.erase(Of, It);
    }
  }
  if (!Blocks)
    return;
  Mark M;
  M.Kind = MarkKind::User;
  M.Process = Id;
  M.Thread = Rings[RingIndex].Thread;
  M.TimeNs = R.timeOf(Rec.Tsc);
  M.Name = R.Names.Names.string("CUDA context ends: " + std::to_string(Blocks) +
                                " blocks, " + std::to_string(Bytes) +
                                " bytes with it");
  R.addMark(std::move(M));
}

/// Requested, live, reserved: the driver's heaps have what they reserve.
void ProcessState::deviceOom(const wire::Record &Rec, uint32_t RingIndex) {
  const Ring &S = Rings[RingIndex];
  Mark M;
  M.Kind = MarkKind::Oom;
  M.Process = Id;
  M.Thread = S.Thread;
  M.TimeNs = R.timeOf(Rec.Tsc);
  M.Heap = R.cudaHeap(CudaHeap(CudaPlace::heap(Rec.Extra)),
                      cudaDevice(CudaPlace::device(Rec.Extra)));
  M.Stack = Stacks.driverStack(Rec.Stack, CudaFunction(Rec.function()));
  M.ScopePath = S.ScopePath;
  uint64_t Live = R.Stats.heapLiveBytes(M.Heap);
  M.Values = {Rec.Address, Live, Live};
  R.addMark(std::move(M));
}

/// Of all pools of the device, or of its graphs; of one pool, too, where there
/// are several.
void ProcessState::deviceReserved(const wire::Record &Rec, uint32_t RingIndex) {
  uint64_t Handle = RingIndex < Details.size()
                        ? std::exchange(Details[RingIndex], {}).Address
                        : 0;
  constexpr size_t MaxPools = 4096;
  bool OfGraphs = CudaPlace::heap(Rec.Extra) == uint32_t(CudaHeap::Graph);
  uint32_t Heap = R.cudaHeap(OfGraphs ? CudaHeap::Graph : CudaHeap::Pool,
                             cudaDevice(CudaPlace::device(Rec.Extra)));
  auto &Pools = CudaPools[Heap];
  if (!Handle || (Pools.size() == MaxPools && !Pools.count(Handle)))
    return bad();
  CudaPool &Of = Pools[Handle];
  bool IsTrim = Rec.function() == uint8_t(wire::PoolMoment::Trimmed);
  if (!IsTrim && Of.Used == Rec.Address && Of.Reserved == Rec.size())
    return;
  uint64_t Trimmed = Of.Reserved - std::min(Of.Reserved, Rec.size());
  Of = {Rec.Address, Rec.size()};
  CudaPool Sum;
  for (const auto &[Of, P] : Pools) {
    Sum.Used += P.Used;
    Sum.Reserved += P.Reserved;
  }
  Mark M;
  M.Kind = MarkKind::HeapReserved;
  M.Process = Id;
  M.TimeNs = R.boundaryNs(R.Clock.toNs(Rec.Tsc));
  M.Heap = Heap;
  M.Values = {Sum.Reserved, Sum.Used};
  if (IsTrim || Pools.size() > 1)
    M.Values.push_back(IsTrim ? Trimmed : UnknownBytes);
  if (Pools.size() > 1) {
    auto Number = PoolIds.find({Handle, 0});
    M.Id = Number == PoolIds.end() ? 0 : Number->second;
    M.Values.insert(M.Values.end(), {Of.Reserved, Of.Used});
  }
  R.Stats.setReserved(Id, Heap, Sum.Reserved);
  Scopes.noteReserved(Heap, Sum.Reserved, Sum.Used);
  R.addMark(std::move(M));
}

//===----------------------------------------------------------------------===//
// How much of a device is used
//===----------------------------------------------------------------------===//

/// False: it is of none.
bool ProcessState::noteDevice(const wire::Record &Rec, DeviceUses::Look &L) {
  uint32_t Ordinal = CudaPlace::device(Rec.Extra);
  uint32_t Context = CudaPlace::context(Rec.Extra);
  if (Ordinal >= wire::MaxCudaDevices)
    return false;
  L.Device = cudaDevice(Ordinal);
  L.Of = {Id, Context};
  L.TimeNs = R.timeOf(Rec.Tsc);
  auto Kind = RecordKind(Rec.kind());
  if (Kind != RecordKind::DeviceUsed && Kind != RecordKind::DeviceAsk)
    R.Uses.changed(L.Device, L.TimeNs);
  if (!Context || Kind == RecordKind::DeviceContextEnd)
    return true;
  if (CudaContexts.size() <= Context)
    CudaContexts.resize(Context + 1);
  if (!CudaContexts.test(Context)) {
    CudaContexts.set(Context);
    R.Uses.seen(L.Of, L.Device);
  }
  return true;
}

void ProcessState::deviceUsed(const wire::Record &Rec, DeviceUses::Look L) {
  if (Rec.Address > Rec.size())
    return bad();
  L.Used = Rec.Address;
  L.Total = Rec.size();
  R.Uses.take(L, wire::DeviceMoment(Rec.function()));
}

/// The thread waits for an answer, which is given later.
void ProcessState::deviceAsk(const wire::Record &Rec, DeviceUses::Look L,
                             uint32_t RingIndex) {
  DeviceUses::Wait W;
  W.L = L;
  W.Ring = RingIndex;
  W.Slot = Rec.size() & 0xff;
  W.Ticket = uint32_t(Rec.size() >> 8);
  W.At = wire::DeviceMoment(Rec.Address);
  if (W.Slot >= wire::NumReplySlots ||
      W.At < wire::DeviceMoment::ContextBegins ||
      W.At > wire::DeviceMoment::ContextFailed)
    return bad();
  R.Uses.wait(W);
}
