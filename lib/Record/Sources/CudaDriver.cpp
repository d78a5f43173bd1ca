// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: memory that a program requests from CUDA's driver.

#include "Sources/CudaDriver.h"
#include "Scopes/ProcessScopes.h"
#include "Sources/BlockSnapshots.h"
#include "Sources/CudaNumbers.h"
#include "Sources/EventSink.h"
#include "Sources/Mappings.h"
#include "Sources/OutOfMemory.h"

using namespace llvm;
using namespace memkit;
using wire::CudaFunction;
using wire::CudaHeap;
using wire::CudaPlace;

CudaDriver::CudaDriver(EventSink &Sink, BlockSnapshots &Snapshots,
                       Mappings &Maps, const DriverListeners &To)
    : Sink(Sink), Snapshots(Snapshots), Maps(Maps), Scopes(To.Scopes),
      Numbers(To.Numbers), Uses(To.Uses), Failures(To.Failures) {
  Snapshots.addOthers([this] { return Blocks.size(); },
                      [this](SmallVectorImpl<LiveEntry> &To) {
                        Blocks.forEach([&](const DeviceBlock &B) {
                          for (const LiveEntry &E : {B.Entry, B.Mapped})
                            if (E.Row)
                              To.push_back(E);
                        });
                      });
}

bool CudaDriver::findOuter(uint64_t Address, const LiveEntry &E,
                           BlockRef &Out) const {
  const DeviceBlock *B =
      DeviceTable::find(Blocks.of(CudaHeap::Device), Address);
  const LiveEntry *Of = B ? &B->Entry : nullptr;
  if (!B) {
    B = DeviceTable::find(Blocks.of(CudaHeap::Reserved), Address);
    Of = B ? &B->Mapped : nullptr;
  }
  // A block newer than E does not contain E.
  if (!Of || !Of->Row || Of->AllocationId > E.AllocationId)
    return false;
  Out = {Of->AllocationId, Of->Row, Of->ScopeRow};
  return true;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

bool CudaDriver::isValid(uint32_t Place, CudaFunction Function) const {
  uint32_t Heap = CudaPlace::heap(Place);
  return Sink.wanted().Cuda && uint8_t(Function) < wire::NumCudaFunctions &&
         (Heap < wire::NumCudaHeaps || Heap == CudaPlace::AnyHeap);
}

uint16_t CudaDriver::deviceOf(uint32_t Place) const {
  return Numbers.device(CudaPlace::device(Place));
}

/// A look at the device of Place, which must name a device.
DeviceUses::Look CudaDriver::lookAt(uint32_t Place, RecordOrigin From) const {
  DeviceUses::Look L;
  L.Thread = Sink.threadOf(From.Ring);
  L.Device = deviceOf(Place);
  L.Of = {Sink.process(), CudaPlace::context(Place)};
  L.TimeNs = Sink.markNs(From.Tsc);
  return L;
}

static bool hasDevice(uint32_t Place) {
  return CudaPlace::device(Place) < wire::MaxCudaDevices;
}

/// Notes that the context of L lives.
void CudaDriver::noteContext(const DeviceUses::Look &L) {
  uint32_t Context = L.Of.Number;
  if (!Context)
    return;
  if (Contexts.size() <= Context)
    Contexts.resize(Context + 1);
  if (Contexts.test(Context))
    return;
  Contexts.set(Context);
  Uses.seen(L.Of, L.Device);
}

/// Notes a record of blocks. Ends: the record ends the context of Place.
void CudaDriver::noteChange(uint32_t Place, RecordOrigin From, bool Ends) {
  Sink.threadOf(From.Ring);
  if (!hasDevice(Place))
    return;
  DeviceUses::Look L = lookAt(Place, From);
  Uses.changed(L.Device, L.TimeNs);
  if (!Ends)
    noteContext(L);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

CudaDriver::RingDetail CudaDriver::takeDetail(uint32_t Ring) {
  return Ring < Details.size() ? std::exchange(Details[Ring], {})
                               : RingDetail();
}

void CudaDriver::take(const wire::DeviceDetailRecord &Rec, RecordOrigin From) {
  if (!isValid(Rec.Place, CudaFunction::None))
    return Sink.bad();
  noteChange(Rec.Place, From);
  if (Details.size() <= From.Ring)
    Details.resize(From.Ring + 1);
  Details[From.Ring] = {Rec.Handle, Rec.Second};
}

LiveEntry CudaDriver::begin(const NewDeviceBlock &New, RecordOrigin From) {
  uint32_t Stack = Sink.stacks().driverStack(New.Node, New.Function);
  LiveEntry E = Sink.newBlock(From, New.Heap, Stack, New.Size);
  Failures.allocated(From.Ring, New.Size);
  auto Heap = CudaHeap(CudaPlace::heap(New.Place));
  BlockRef Outer;
  // Host memory that the driver has mapped lies in a recorded mapping.
  if (Heap == CudaHeap::Pinned && Maps.findOuter(New.Address, E, Outer))
    Snapshots.setOuter(E.AllocationId, Outer.AllocationId);
  if (!New.IsMapped) {
    RingDetail D = takeDetail(From.Ring);
    Sink.noteStream(Numbers.stream(D.Handle));
    if (D.Second)
      Sink.notePool(Numbers.pool(D.Second, 0));
  }
  // Physical memory and arrays have a handle, not an address.
  bool IsHandle = Heap == CudaHeap::Physical || Heap == CudaHeap::Array;
  if (New.IsMapped || !IsHandle)
    Sink.noteAddress(New.Address);
  Sink.allocate(From, E, Outer);
  return E;
}

void CudaDriver::emitFree(LiveEntry &E, RecordOrigin From) {
  LiveEntry Ended = std::exchange(E, LiveEntry());
  Sink.free(From, Ended, Snapshots.takeOuter(Ended.AllocationId));
}

void CudaDriver::end(DeviceBlock &B, RecordOrigin From) {
  if (OnFree && B.heap() == CudaHeap::Device && B.Entry.Row)
    OnFree(B.End - B.Entry.Size, B.Entry.Size, From);
  for (LiveEntry *E : {&B.Entry, &B.Mapped})
    if (E->Row)
      emitFree(*E, From);
}

/// Whether Function opens B again. Another process's memory has the same
/// address at each open, and needs one close for each open.
static bool isOpened(CudaFunction Function, const DeviceBlock &B) {
  return Function == CudaFunction::IpcOpenMemHandle &&
         B.heap() == CudaHeap::Imported;
}

void CudaDriver::take(const wire::DeviceAllocateRecord &Rec,
                      RecordOrigin From) {
  auto Heap = CudaHeap(CudaPlace::heap(Rec.Place));
  if (!isValid(Rec.Place, Rec.Function) || !isAddress(Rec.Address) ||
      uint8_t(Heap) == CudaPlace::AnyHeap)
    return Sink.bad();
  noteChange(Rec.Place, From);
  if (Heap == CudaHeap::Physical)
    return putPhysical(Rec, From);
  uint64_t Begin = Rec.Address, End = Begin + std::max<uint64_t>(Rec.Size, 1);
  DeviceTable::DeviceBlockMap &Of = Blocks.of(Heap);
  if (Heap == CudaHeap::Array)
    End = Begin + 1;
  auto Same = Of.find(Begin);
  if (Same != Of.end() && isOpened(Rec.Function, Same->second)) {
    ++Same->second.References;
    return;
  }
  for (auto It = DeviceTable::overlapping(Of, Begin, End); It != Of.end();
       It = DeviceTable::overlapping(Of, Begin, End)) {
    // No call reports the end of a graph and of its addresses.
    if (It->second.heap() != CudaHeap::Graph)
      Sink.doubleAllocate();
    end(It->second, From);
    Blocks.erase(Of, It);
  }
  DeviceBlock B;
  B.End = End;
  B.Place = Rec.Place;
  bool IsImported = Rec.Function == CudaFunction::ExternalMipmappedArray;
  uint32_t InHeap = Sink.heaps().cuda(IsImported ? CudaHeap::Imported : Heap,
                                      deviceOf(Rec.Place));
  B.Entry = begin({Begin, Rec.Size, Rec.Function, Rec.Stack, Rec.Place, InHeap,
                   /*IsMapped=*/false},
                  From);
  Of.emplace(Begin, B);
}

void CudaDriver::take(const wire::DeviceFreeRecord &Rec, RecordOrigin From) {
  if (!isValid(Rec.Place, CudaFunction::None))
    return Sink.bad();
  noteChange(Rec.Place, From);
  uint32_t Heap = CudaPlace::heap(Rec.Place);
  DeviceTable::DeviceBlockMap &Of =
      Blocks.of(Heap == CudaPlace::AnyHeap ? CudaHeap::Device : CudaHeap(Heap));
  auto It = Of.find(Rec.Address);
  if (It == Of.end())
    return Sink.unknownFree();
  if (It->second.heap() == CudaHeap::Physical)
    return releasePhysical(It, From);
  if (It->second.References > 1) {
    --It->second.References;
    return;
  }
  end(It->second, From);
  // The next launch of the graph allocates the same addresses without a call,
  // and the program may free them again.
  if (It->second.heap() != CudaHeap::Graph || !Blocks.keep(It->second))
    Blocks.erase(Of, It);
}

void CudaDriver::take(const wire::DeviceContextEndRecord &Rec,
                      RecordOrigin From) {
  if (!isValid(Rec.Place, CudaFunction::None))
    return Sink.bad();
  noteChange(Rec.Place, From, /*Ends=*/true);
  endContext(CudaPlace::context(Rec.Place), From);
}

/// Ends the blocks of a context, except reservations and physical memory, which
/// belong to no context.
void CudaDriver::endContext(uint32_t Context, RecordOrigin From) {
  Uses.ended({Sink.process(), Context});
  if (Context < Contexts.size())
    Contexts.reset(Context);
  uint64_t NumBlocks = 0, Bytes = 0;
  for (unsigned I = 0; I != DeviceTable::NumTables; ++I) {
    DeviceTable::DeviceBlockMap &Of = Blocks.table(I);
    for (auto It = Of.begin(); It != Of.end();) {
      DeviceBlock &B = It->second;
      if (!Context || CudaPlace::context(B.Place) != Context ||
          B.heap() == CudaHeap::Reserved || B.heap() == CudaHeap::Physical) {
        ++It;
        continue;
      }
      NumBlocks += B.Entry.Row != 0;
      Bytes += B.Entry.Size;
      end(B, From);
      It = Blocks.erase(Of, It);
    }
  }
  if (!NumBlocks)
    return;
  Mark M = Sink.markOf(MarkKind::User, From);
  M.Name = Sink.string("CUDA context ends: " + std::to_string(NumBlocks) +
                       " blocks, " + std::to_string(Bytes) + " bytes with it");
  Sink.add(std::move(M));
}

/// The mark's values: requested, live, reserved bytes. A heap of the driver
/// reserves as much as is live.
void CudaDriver::take(const wire::DeviceOomRecord &Rec, RecordOrigin From) {
  uint32_t Heap = CudaPlace::heap(Rec.Place);
  if (!isValid(Rec.Place, Rec.Function) || Heap == CudaPlace::AnyHeap)
    return Sink.bad();
  noteChange(Rec.Place, From);
  Mark M = Sink.markOf(MarkKind::Oom, From);
  M.Heap = Sink.heaps().cuda(CudaHeap(Heap), deviceOf(Rec.Place));
  M.Stack = Sink.stacks().driverStack(Rec.Stack, Rec.Function);
  M.ScopePath = Sink.ring(From.Ring).ScopePath;
  uint64_t Live = Sink.stats().heapLiveBytes(M.Heap);
  M.Values = {Rec.Requested, Live, Live};
  Failures.failed(OutOfMemory::Allocator::Driver, std::move(M), From.Ring);
}

//===----------------------------------------------------------------------===//
// Memory that pools and devices use
//===----------------------------------------------------------------------===//

/// Adds a mark of all pools of the device, or of all its graphs; with several
/// pools, the mark also has this pool.
void CudaDriver::take(const wire::DeviceReservedRecord &Rec,
                      RecordOrigin From) {
  if (!isValid(Rec.Place, CudaFunction(Rec.At)))
    return Sink.bad();
  noteChange(Rec.Place, From);
  uint64_t Handle = takeDetail(From.Ring).Handle;
  constexpr size_t MaxPools = 4096;
  bool OfGraphs = CudaPlace::heap(Rec.Place) == uint32_t(CudaHeap::Graph);
  uint32_t Heap = Sink.heaps().cuda(OfGraphs ? CudaHeap::Graph : CudaHeap::Pool,
                                    deviceOf(Rec.Place));
  auto &Of = Pools[Heap];
  if (!Handle || (Of.size() == MaxPools && !Of.count(Handle)))
    return Sink.bad();
  PoolBytes &Pool = Of[Handle];
  bool IsTrim = Rec.At == wire::PoolTimePoint::Trimmed;
  if (!IsTrim && Pool.Used == Rec.Used && Pool.Reserved == Rec.Reserved)
    return;
  uint64_t Trimmed = Pool.Reserved - std::min(Pool.Reserved, Rec.Reserved);
  Pool = {Rec.Used, Rec.Reserved};
  PoolBytes All;
  for (const auto &[Each, P] : Of) {
    All.Used += P.Used;
    All.Reserved += P.Reserved;
  }
  Mark M = Sink.reservedMark(From, Heap, All.Reserved, 0);
  M.Values = {All.Reserved, All.Used};
  if (IsTrim || Of.size() > 1)
    M.Values.push_back(IsTrim ? Trimmed : UnknownBytes);
  if (Of.size() > 1) {
    M.Id = Numbers.knownPool(Handle, 0);
    M.Values.insert(M.Values.end(), {Pool.Reserved, Pool.Used});
  }
  Scopes.noteReserved(Heap, All.Reserved, All.Used);
  Sink.add(std::move(M));
}

void CudaDriver::take(const wire::DeviceUsedRecord &Rec, RecordOrigin From) {
  if (!isValid(Rec.Place, CudaFunction(Rec.At)) || !hasDevice(Rec.Place))
    return Sink.bad();
  DeviceUses::Look L = lookAt(Rec.Place, From);
  noteContext(L);
  if (Rec.Used > Rec.Total)
    return Sink.bad();
  L.Used = Rec.Used;
  L.Total = Rec.Total;
  Uses.take(L, Rec.At);
}

/// The thread waits for a reply, which comes later.
void CudaDriver::take(const wire::DeviceAskRecord &Rec, RecordOrigin From) {
  if (!isValid(Rec.Place, CudaFunction::None) || !hasDevice(Rec.Place))
    return Sink.bad();
  DeviceUses::DeviceWait W;
  W.L = lookAt(Rec.Place, From);
  noteContext(W.L);
  W.Ring = From.Ring;
  W.Slot = Rec.Slot;
  W.Ticket = Rec.Ticket;
  W.At = Rec.At;
  if (W.Slot >= wire::NumReplySlots ||
      W.At < wire::DeviceTimePoint::ContextBegins ||
      W.At > wire::DeviceTimePoint::ContextFailed)
    return Sink.bad();
  Uses.wait(W);
}
