// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes what programs would take with another malloc, for scripts.

#include "HostText.h"
#include "Support/Json.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

static void writePoints(json::OStream &J, StringRef Name,
                        ArrayRef<uint64_t> Points) {
  J.attributeArray(Name, [&] {
    for (uint64_t Bytes : Points)
      J.value(Bytes);
  });
}

/// The ends of the intervals.
static void writeTimes(json::OStream &J, const HostTarget &Of) {
  J.attributeArray("time_ns", [&] {
    for (uint32_t I = 1; I <= wire::MaxReplayPoints; ++I)
      J.value(uint64_t(double(Of.EndNs) / wire::MaxReplayPoints * I));
  });
}

static void writeHostResult(json::OStream &J, const HostAllocator &A,
                            const HostResult &R) {
  const wire::ReplayOutcome &O = R.Outcome;
  bool IsDone = R.Failure.empty();
  J.attribute("allocator", jsonText(A.Name));
  J.attribute("library", jsonTextOrNull(O.Library));
  J.attribute("resident_peak_bytes", jsonIfKnown(IsDone, O.PeakBytes));
  J.attribute("resident_at_live_peak_bytes",
              jsonIfKnown(IsDone, O.LivePeakBytes));
  J.attribute("resident_end_bytes", jsonIfKnown(IsDone, O.EndBytes));
  J.attribute("allocator_ns", jsonIfKnown(IsDone, O.AllocatorNs));
  J.attribute("failed_requests", jsonIfKnown(IsDone, O.NumFailed));
  writePoints(J, "resident_over_time_bytes", pointsOf(R));
  J.attribute("failure", jsonTextOrNull(R.Failure));
  J.attribute("messages", jsonTextOrNull(R.Messages));
}

static void writeOther(json::OStream &J, const Trace &T, const HostProcess &P) {
  J.attribute("process", P.Process);
  J.attribute("pid", T.processes()[P.Process - 1].Pid);
  J.attribute("program", jsonText(T.processName(P.Process)));
  J.attribute("peak_bytes", jsonIfKnown(P.PeakBytes != 0, P.PeakBytes));
  J.attribute("events", P.Events);
}

void memkit::writeHostJson(raw_ostream &OS, const HostView &V) {
  const HostTarget &Of = V.Target;
  const RecordedResident &Was = Of.Recorded;
  json::OStream J(OS, 2);
  J.object([&] {
    J.attribute("process", Of.Process);
    J.attribute("pid", V.T.processes()[Of.Process - 1].Pid);
    J.attribute("program", jsonText(V.T.processName(Of.Process)));
    J.attribute("heap", jsonText(V.T.heapName(Of.Heap)));
    J.attribute("scale", Of.Scale);
    J.attribute("requests", Of.NumRequests);
    J.attribute("threads", Of.NumThreads);
    J.attribute("live_peak_bytes", Of.PeakBytes);
    J.attribute("live_peak_ns", Of.PeakNs);
    J.attribute("live_end_bytes", Of.EndBytes);
    J.attribute("other_peak_bytes", Of.OtherPeakBytes);
    J.attribute("processes", Of.Processes.size());
    J.attributeArray("other_processes", [&] {
      for (const HostProcess &P : ArrayRef(Of.Processes).drop_front())
        J.object([&] { writeOther(J, V.T, P); });
    });
    writeTimes(J, Of);
    J.attributeBegin("recorded");
    if (Was.IsKnown)
      J.object([&] {
        J.attribute("allocator", recordedHostAllocator(V.T));
        J.attribute("is_of_malloc", Was.IsOfMalloc);
        J.attribute("resident_before_bytes", Was.BeforeBytes);
        J.attribute("resident_peak_bytes", Was.PeakBytes);
        J.attribute("resident_peak_ns", Was.PeakNs);
        J.attribute("resident_at_live_peak_bytes", Was.LivePeakBytes);
        J.attribute("resident_end_bytes", Was.EndBytes);
        writePoints(J, "resident_over_time_bytes", Was.PointBytes);
      });
    else
      J.value(nullptr);
    J.attributeEnd();
    J.attributeArray("allocators", [&] {
      for (auto &&[A, R] : zip_equal(V.Allocators, V.Results))
        J.object([&] { writeHostResult(J, A, R); });
    });
  });
  OS << '\n';
}
