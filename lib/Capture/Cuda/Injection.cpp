// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point of libmemrec-cuda.so.
//
// CUDA's driver calls InitializeInjection() in cuInit, because memrec has named
// this library in CUDA_INJECTION64_PATH. The library subscribes by CUPTI to the
// calls that allocate and free memory, and to no others unless the time of a
// device's work is wanted. Where CUPTI cannot be used, wrappers report the
// calls.

#include "Cuda/Injection.h"

#include "Cuda/Activity.h"
#include "Cuda/Calls.h"
#include "Cuda/Launches.h"
#include "Cuda/Overheads.h"
#include "Cuda/Rival.h"
#include "Cuda/Wrappers.h"

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaCapture;
using wire::CudaHeap;

const CaptureTable *cuda::Memrec;
static Cupti Tool;
static CUpti_SubscriberHandle Subscriber;

/// The device of the thread's current context, which is the context in
/// question.
static uint32_t askDriver(CUcontext) {
  CUdevice Device = 0;
  return Cuda.CtxGetDevice(&Device) ? wire::CudaPlace::NoDevice
                                    : uint32_t(Device);
}

static uint32_t askCupti(CUcontext C) {
  uint32_t Device = 0;
  // CUPTI may refuse while it has another subscriber.
  return Tool.GetDeviceId(C, &Device) ? askDriver(C) : Device;
}

static void onContext(CUpti_CallbackId Id, const CUpti_ResourceData &D) {
  if (Id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) {
    TheContexts.place(D.context);
    return;
  }
  if (Id == CUPTI_CBID_RESOURCE_MODULE_LOADED)
    return onModule(D.context);
  ContextPlace P = TheContexts.known(D.context);
  if (!P.Number)
    return;
  writeRecord(wire::DeviceContextEndRecord{P.in(CudaHeap::Device)});
  TheContexts.remove(D.context);
}

/// Does the call return when a device has done its work?
static bool isWait(CUpti_CallbackId Id) {
  switch (Id) {
  case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize:
  case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz:
  case CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize:
  case CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize:
    return true;
  default:
    return false;
  }
}

static void setRuntimeLaunches(bool On);

/// Before and after a launch of the runtime.
static void onRuntime(const CUpti_CallbackData &D) {
  bool Enters = D.callbackSite == CUPTI_API_ENTER;
  noteRuntimeCall(Enters ? D.correlationId : 0);
  if (!Enters && takeIdsAreEqual())
    setRuntimeLaunches(false);
}

static void CUPTIAPI onCallback(void *, CUpti_CallbackDomain Domain,
                                CUpti_CallbackId Id, const void *Data) {
  CallerFrame Caller = MEMKIT_CALLER;
  if (Domain == CUPTI_CB_DOMAIN_RESOURCE)
    return onContext(Id, *static_cast<const CUpti_ResourceData *>(Data));
  const auto &D = *static_cast<const CUpti_CallbackData *>(Data);
  if (Domain == CUPTI_CB_DOMAIN_RUNTIME_API)
    return onRuntime(D);
  if (isLaunch(Id)) {
    if (D.callbackSite == CUPTI_API_ENTER)
      noteLaunch(D.correlationId, Caller);
    return;
  }
  Call C{Id, D.functionParams, D.context};
  if (D.callbackSite == CUPTI_API_ENTER)
    return noteBefore(C);
  noteAfter(C, *static_cast<const CUresult *>(D.functionReturnValue), Caller);
  if (isWait(Id))
    flushActivityIfDue();
}

/// The number of driver calls known to the CUPTI of the driver's version; 0:
/// unknown.
static unsigned numCalls() {
  static constexpr struct {
    int Cuda;
    unsigned Calls;
  } Known[] = {{13050, 877}, {13000, 807}, {12090, 784},
               {12040, 754}, {12010, 712}, {11080, 677}};
  int Version = 0;
  if (!Cuda.DriverGetVersion || Cuda.DriverGetVersion(&Version))
    return 0;
  for (const auto &K : Known)
    if (Version >= K.Cuda)
      return K.Calls;
  return 0;
}

/// The number of wanted driver calls unknown to a CUPTI older than the driver.
static uint32_t NumUnknown;

/// The time of work cannot be recorded, or not any more.
static std::atomic<bool> TimeIsOver;
static bool wantsTime() {
  return Memrec->Mode() == wire::CudaMode::Time && !TimeIsOver.load();
}

static void setRuntimeLaunches(bool On) {
  for (unsigned I = 0; I != NumRuntimeLaunchCalls; ++I)
    Tool.EnableCallback(On, Subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                        RuntimeLaunchCalls[I]);
}

/// An older CUPTI knows fewer launches.
static CUptiResult setLaunches(bool On) {
  setRuntimeLaunches(On);
  for (unsigned I = 0; I != NumLaunchCalls; ++I) {
    CUptiResult One = Tool.EnableCallback(
        On, Subscriber, CUPTI_CB_DOMAIN_DRIVER_API, LaunchCalls[I]);
    if (One && I < NumNeededLaunches)
      return One;
  }
  return CUPTI_SUCCESS;
}

/// While CUPTI reports to memkit: asks for no launch any more.
static void endLaunches() {
  if (!TimeIsOver.exchange(true) && Listening.load())
    setLaunches(false);
}

/// Who takes CUPTI's activity records.
static void endTime(const char *Who) {
  endActivity(Who);
  endLaunches();
}

static CUptiResult enable() {
  CUptiResult R = CUPTI_SUCCESS;
  unsigned Calls = numCalls();
  NumUnknown = 0;
  auto Enable = [&](CUpti_CallbackDomain Domain, CUpti_CallbackId Id) {
    CUptiResult One = Tool.EnableCallback(1, Subscriber, Domain, Id);
    if (One != CUPTI_ERROR_INVALID_PARAMETER)
      R = R ? R : One;
    // A call that the driver lacks, too, is never made.
    else if (Domain == CUPTI_CB_DOMAIN_DRIVER_API && Id < Calls)
      ++NumUnknown;
  };
  for (unsigned I = 0; I != NumWantedCalls; ++I)
    Enable(CUPTI_CB_DOMAIN_DRIVER_API, WantedCalls[I]);
  Enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
  Enable(CUPTI_CB_DOMAIN_RESOURCE,
         CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  Enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  if (!R && wantsTime())
    R = setLaunches(true);
  return R;
}

/// Subscribes with a name, if CUPTI takes one.
static CUptiResult subscribeNamed(RivalName &Rival) {
  Rival[0] = 0;
  SubscriberParams P = {sizeof(P), "memrec", Rival, sizeof(Rival)};
  CUptiResult R =
      Tool.SubscribeNamed
          ? Tool.SubscribeNamed(&Subscriber, onCallback, nullptr, &P)
          : CUPTI_ERROR_INVALID_PARAMETER;
  if (R == CUPTI_ERROR_INVALID_PARAMETER)
    R = Tool.Subscribe(&Subscriber, onCallback, nullptr);
  Rival[sizeof(Rival) - 1] = 0;
  return R;
}

static CudaCapture subscribe(CUptiResult &R, RivalName &Rival) {
  R = subscribeNamed(Rival);
  if (R == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    if (!*Rival)
      findLoadedTool(Rival);
    return CudaCapture::CuptiTaken;
  }
  R = R ? R : enable();
  if (!R)
    return CudaCapture::Cupti;
  Tool.Unsubscribe(Subscriber);
  return CudaCapture::CuptiFailed;
}

/// Reports to the recorder whether CUPTI or wrappers report the calls, the
/// reason for wrappers, and the tool that has CUPTI.
static void setState(CudaCapture S, CUptiResult R,
                     const char *Rival = nullptr) {
  bool IsHeard = S == CudaCapture::Cupti;
  if (!IsHeard && HasWrappers.load())
    Memrec->SetState(CudaCapture::Interposed, R, S, Rival);
  else if (IsHeard && NumUnknown && !HasWrappers.load())
    Memrec->SetState(S, NumUnknown, CudaCapture::CuptiOlder, nullptr);
  else
    Memrec->SetState(S, R, CudaCapture::None, Rival);
  Listening.store(IsHeard, std::memory_order_release);
}

static bool HasCupti; ///< Tool is open
static void listen() {
  CUptiResult R = CUPTI_SUCCESS;
  RivalName Rival = "";
  CudaCapture S = HasCupti ? subscribe(R, Rival) : CudaCapture::NoCupti;
  setState(S, R, Rival);
}

/// The program's library Who is about to subscribe to CUPTI.
static void leave(const char *Who) {
  if (!Listening.load())
    return;
  endActivity(Who);
  TimeIsOver.store(true);
  setState(CudaCapture::CuptiTaken, CUPTI_SUCCESS, Who);
  Tool.Unsubscribe(Subscriber);
}
/// The program has ended its subscription.
static void comeBack() {
  if (HasCupti && !Listening.load() && Memrec->Mode() != wire::CudaMode::Off)
    listen();
}

/// Null: there is no libmemrec.so, or it came late and has not yet called
/// memrec_cuda_use().
static std::atomic<TableFn> TableOf = memrec_cuda_table;

static bool begin() {
  TableFn Of = TableOf.load(std::memory_order_acquire);
  const CaptureTable *T = Of ? Of(TableVersion) : nullptr;
  if (!T || !openDriver())
    return false;
  DeviceOf = Cuda.CtxGetDevice ? askDriver : nullptr;
  Memrec = T;
  return true;
}

/// Set by the first caller, the driver or a wrapper.
static std::atomic<bool> Begun;

bool cuda::hasBegun() {
  if (__builtin_expect(Begun.load(std::memory_order_acquire), 1))
    return Memrec;
  // The driver has loaded another tool's library in place of this one.
  if (!Begun.exchange(true) && begin()) {
    RivalName Library;
    findInjected(Library);
    setState(CudaCapture::NotInjected, CUPTI_SUCCESS, Library);
  }
  return Memrec;
}

static void beginListening() {
  HasCupti = HasCupti || openCupti(Tool);
  if (HasCupti)
    DeviceOf = askCupti;
  Memrec->SetListener(leave, comeBack);
  listen();
}

/// The entry point that the driver calls by name.
MEMKIT_EXPORT int InitializeInjection() {
  // The driver calls once; a program may call again.
  if (Begun.exchange(true) || !begin())
    return 1;
  if (Memrec->Mode() == wire::CudaMode::Interpose) {
    setState(CudaCapture::NotWanted, CUPTI_SUCCESS);
    return 1;
  }
  beginListening();
  if (wantsTime() && !beginActivity(Tool.Activity, Listening.load(), endTime))
    endLaunches();
  return 1;
}

//===----------------------------------------------------------------------===//
// What libmemrec.so calls
//===----------------------------------------------------------------------===//

MEMKIT_EXPORT void memrec_cuda_use(TableFn Of) {
  TableOf.store(Of, std::memory_order_release);
}

MEMKIT_EXPORT void *memrec_cuda_wrap(const char *Name, void *Real) {
  return wrap(Name, Real);
}

/// In a program that ran before, in a thread of libmemrec.so: CUPTI is to
/// report to memkit, or no more.
MEMKIT_EXPORT void memrec_cuda_listen(bool On) {
  if (!On) {
    if (Listening.exchange(false))
      Tool.Unsubscribe(Subscriber);
    return;
  }
  if (Listening.load() || (!Memrec && !begin()))
    return;
  Begun.store(true, std::memory_order_release);
  beginListening();
  measureLivingContexts();
}
