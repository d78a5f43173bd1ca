// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What allocators said of themselves, and what the samples took.

#include "Sections.h"
#include "Support/CommandText.h"
#include "Support/Json.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace memkit {

using Side = Table::Side;

static std::string orNothing(std::optional<uint64_t> Bytes) {
  return Bytes ? formatSize(*Bytes) : "";
}

/// What an allocator said of itself, and beside it what memrec saw from outside
/// at the exit.
static PageSection allocatorSection(const PageInput &F,
                                    const AllocatorSays &A) {
  constexpr size_t Useful = 8;
  Table T({{oneLine(A.Name) + " of " + oneLine(F.T.processName(A.Process)),
            Side::Left, true},
           {"in use", Side::Right},
           {"free", Side::Right},
           {"mapped apart", Side::Right},
           {"from the system", Side::Right}});
  T.add({"at exit, by itself", orNothing(A.InUse), orNothing(A.Free),
         orNothing(A.Apart), orNothing(A.Reserved)});
  size_t Shown = F.shown(A.Arenas.size(), Useful);
  // The whole is enough for one arena.
  for (size_t I = 0; I != Shown && A.Arenas.size() > 1; ++I) {
    auto [InUse, Free] = A.Arenas[I];
    T.add({"arena " + std::to_string(I), formatSize(InUse), formatSize(Free),
           "", formatSize(SaturatingAdd(InUse, Free))});
  }
  PageSection Out;
  if (A.Process < F.O.Residents.size())
    if (const ResidentSample *S = F.O.Residents[A.Process].atExit()) {
      uint64_t Live = S->of(ResidentPart::Malloc),
               Free = S->of(ResidentPart::MallocFree);
      T.add({"by memrec, resident", formatSize(Live), formatSize(Free), "",
             formatSize(SaturatingAdd(Live, Free))});
      Out.Notes.push_back("memrec counts resident pages only, blocks as "
                          "requested, and blocks that are mapped apart as in "
                          "use");
    }
  Out.Rows = std::move(T);
  return Out;
}

std::vector<PageSection> allocatorSections(const PageInput &F) {
  constexpr size_t MaxProcesses = 3;
  std::vector<const AllocatorSays *> All;
  for (const AllocatorSays &A : F.O.Allocators)
    if (F.Sel.hasProcess(A.Process))
      All.push_back(&A);
  auto Held = [](const AllocatorSays *A) {
    return A->Reserved.value_or(A->InUse.value_or(0));
  };
  stable_sort(All, [&](const AllocatorSays *A, const AllocatorSays *B) {
    return Held(A) > Held(B);
  });
  std::vector<PageSection> Out;
  for (const AllocatorSays *A :
       ArrayRef(All).take_front(F.shown(All.size(), MaxProcesses)))
    Out.push_back(allocatorSection(F, *A));
  return Out;
}

static uint64_t mostResident(ArrayRef<RecorderPoint> Of) {
  uint64_t Most = 0;
  for (const RecorderPoint &P : Of)
    Most = std::max(Most, P.Resident);
  return Most;
}

/// `12 samples of resident memory took 8.4 ms of processor time, 0.28 % of the
/// run of 3 s`.
std::string sampleCostText(const SampleCosts &C) {
  return plural(C.Count, "sample") + " of resident memory took " +
         formatTime(C.ProcessorNs) + " of processor time, " +
         formatShare(C.ProcessorNs, C.RunNs) + " of the run of " +
         formatTime(C.RunNs);
}

/// `memrec itself: 54 MiB at most, 1.2 s of processor time in 12 s`; empty: not
/// known.
std::string recorderText(ArrayRef<RecorderPoint> Of) {
  if (Of.empty())
    return "";
  return "memrec itself: " + formatSize(mostResident(Of)) + " at most, " +
         formatTime(Of.back().ProcessorNs) + " of processor time in " +
         formatTime(Of.back().TimeNs);
}

static void writeAllocator(json::OStream &J, const AllocatorSays &A) {
  J.attribute("process", A.Process);
  J.attribute("name", jsonText(A.Name));
  J.attribute("time_ns", A.TimeNs);
  J.attribute("in_use_bytes", jsonOrNull(A.InUse));
  J.attribute("free_bytes", jsonOrNull(A.Free));
  J.attribute("mapped_apart_bytes", jsonOrNull(A.Apart));
  J.attribute("reserved_bytes", jsonOrNull(A.Reserved));
  J.attributeArray("arenas", [&] {
    for (auto [InUse, Free] : A.Arenas)
      J.object([&] {
        J.attribute("in_use_bytes", InUse);
        J.attribute("free_bytes", Free);
      });
  });
}

void writeAllocatorJson(json::OStream &J, const PageInput &F) {
  J.attributeArray("allocators", [&] {
    for (const AllocatorSays &A : F.O.Allocators)
      if (F.Sel.hasProcess(A.Process))
        J.object([&] { writeAllocator(J, A); });
  });
  if (const std::optional<SampleCosts> &C = F.O.Costs)
    J.attributeObject("resident_samples", [&] {
      J.attribute("samples", C->Count);
      J.attribute("processor_ns", C->ProcessorNs);
      J.attribute("run_ns", C->RunNs);
    });
  else
    J.attribute("resident_samples", nullptr);
  ArrayRef<RecorderPoint> Own = F.O.Recorder;
  if (Own.empty())
    return J.attribute("recorder", nullptr);
  J.attributeObject("recorder", [&] {
    J.attribute("samples", Own.size());
    J.attribute("resident_peak_bytes", mostResident(Own));
    J.attribute("processor_ns", Own.back().ProcessorNs);
    J.attribute("until_ns", Own.back().TimeNs);
  });
}

} // namespace memkit
