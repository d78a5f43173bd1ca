// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes what programs would take of their devices, for scripts.

#include "DeviceText.h"
#include "Export/StackText.h"
#include "Support/Json.h"
#include "memkit/Model/Query.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

static void writeRecorded(json::OStream &J, const RecordedUse &R) {
  J.attribute("reserved_peak_bytes", jsonIfKnown(R.HasReserved, R.Reserved));
  J.attribute("live_bytes", jsonIfKnown(R.HasReserved, R.Active));
  J.attribute("peak_ns", jsonIfKnown(R.HasReserved, R.TimeNs));
  J.attribute("mallocs", R.NumMallocs);
  J.attribute("frees", R.NumFrees);
  J.attribute("requests", R.NumRequests);
  J.attribute("failed_requests", R.NumRefused);
  J.attribute("first_failure_ns", jsonIfKnown(R.NumRefused != 0, R.RefusedNs));
}

static void writeFailure(json::OStream &J, const Trace &T,
                         const TorchResult &R) {
  if (!R.Failure)
    return J.attribute("out_of_memory", nullptr);
  const TorchResult::TorchFailure &F = *R.Failure;
  J.attributeObject("out_of_memory", [&] {
    J.attribute("time_ns", F.TimeNs);
    J.attribute("step", jsonOrNull(stepAt(T, F.TimeNs)));
    J.attribute("recorded", F.IsRecorded);
    J.attribute("requested_bytes", F.Bytes);
    J.attribute("reserved_bytes", F.Reserved);
    J.attribute("live_bytes", F.Allocated);
    J.attribute("largest_hole_bytes", F.LargestFree);
    J.attributeBegin("stack");
    if (F.Stack)
      writeStack(J, T, F.Stack);
    else
      J.value(nullptr);
    J.attributeEnd();
  });
}

static void writeResult(json::OStream &J, const DeviceView &V,
                        const ChosenAllocator &A, const TorchResult &R) {
  J.attribute("allocator", jsonText(A.Name));
  J.attribute("settings", A.Config.text());
  J.attribute("is_recorded", A.IsRecorded);
  J.attribute("reserved_peak_bytes", R.Reserved);
  J.attribute("live_bytes", R.Allocated);
  J.attribute("free_bytes", R.freeBytes());
  J.attribute("largest_hole_bytes", R.LargestFree);
  J.attribute("fragmentation_ppm", freePpm(R));
  J.attribute("peak_ns", R.PeakNs);
  J.attribute("mallocs", R.NumMallocs);
  J.attribute("frees", R.NumFrees);
  J.attribute("retries", R.NumRetries);
  J.attribute("failed_requests", R.NumFailures);
  J.attribute("served_failures", R.NumServed);
  writeFailure(J, V.T, R);
}

static void writeTarget(json::OStream &J, const DeviceView &V,
                        const TargetResults &Of) {
  const DeviceTarget &Target = Of.Target;
  J.attribute("process", Target.Process);
  J.attribute("pid", V.T.processes()[Target.Process - 1].Pid);
  J.attribute("program", jsonText(V.T.processName(Target.Process)));
  J.attribute("heap", jsonText(V.T.heapName(Target.Heap)));
  J.attribute("device_bytes",
              jsonIfKnown(Target.DeviceBytes != 0, Target.DeviceBytes));
  J.attributeObject("recorded", [&] { writeRecorded(J, Target.Recorded); });
  J.attributeArray("allocators", [&] {
    for (auto &&[A, R] : zip_equal(V.Allocators, Of.Results))
      J.object([&] { writeResult(J, V, A, R); });
  });
}

static void writeRanked(json::OStream &J, const DeviceView &V) {
  J.attributeObject("search", [&] {
    J.attribute("tried", V.NumTried);
    J.attributeArray("settings", [&] {
      for (const RankedConfig &R : V.Ranked)
        J.object([&] {
          J.attribute("settings", R.Config.text());
          J.attribute("export", exportLine(R.Config));
          J.attribute("reserved_peak_bytes", R.Reserved);
          J.attribute("mallocs", R.NumMallocs);
          J.attribute("failed_requests", R.NumFailures);
          J.attribute("out_of_memory", R.HasEnded);
        });
    });
  });
}

static void writeFit(json::OStream &J, const DeviceView &V,
                     const DeviceFit &F) {
  J.attributeObject("fit", [&] {
    J.attribute("device_bytes", V.Targets.front().Target.DeviceBytes);
    J.attribute("fits", F.fits());
    J.attribute("least_device_bytes", F.LeastBytes);
    J.attribute("reserved_peak_bytes", F.Unlimited.Reserved);
    J.attribute("peak_ns", F.Unlimited.PeakNs);
    J.attribute("other_processes", F.NumOthers);
    writeFailure(J, V.T, F.OnDevice);
  });
}

void memkit::writeDeviceJson(raw_ostream &OS, const DeviceView &V) {
  json::OStream J(OS, 2);
  J.object([&] {
    J.attribute("recorded_settings", V.Recorded.IsKnown
                                         ? json::Value(V.Recorded.Config.text())
                                         : json::Value(nullptr));
    J.attributeArray("targets", [&] {
      for (const TargetResults &Of : V.Targets)
        J.object([&] { writeTarget(J, V, Of); });
    });
    if (V.NumTried)
      writeRanked(J, V);
    if (V.Fit)
      writeFit(J, V, *V.Fit);
  });
  OS << '\n';
}
