// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions to a trace about the work of devices.

#include "memkit/Model/DeviceWork.h"
#include "memkit/Model/Places.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace memkit {

std::string workName(WorkKind Kind, StringRef Name, uint32_t Graph) {
  switch (Kind) {
  case WorkKind::Kernel:
    return Name.empty() ? "(no name)" : demangle(Name);
  case WorkKind::CopyToDevice:
    return "copy to device";
  case WorkKind::CopyToHost:
    return "copy to host";
  case WorkKind::CopyOnDevice:
    return "copy on device";
  case WorkKind::CopyBetweenDevices:
    return "copy between devices";
  case WorkKind::OtherCopy:
    return "copy";
  case WorkKind::Set:
    return "memset";
  case WorkKind::Graph:
    return "graph " + std::to_string(Graph);
  case WorkKind::Unknown:
    break;
  }
  return "unknown work";
}

static std::string piecesOfWork(uint64_t Count) {
  return formatCount(Count) + (Count == 1 ? " piece" : " pieces") +
         " of work of devices " + (Count == 1 ? "is" : "are");
}

std::string lostWorkSentence(uint64_t Count) {
  return piecesOfWork(Count) +
         " missing: CUPTI had no buffer for the records, or they cannot be "
         "read";
}

std::string cutSpansSentence(uint64_t Count) {
  return piecesOfWork(Count) +
         " in the sums alone: timelines have the first ones of each process";
}

static void join(DeviceTimeStats &To, const DeviceTimeStats &From) {
  To.Calls += From.Calls;
  To.DurationNs += From.DurationNs;
  To.LongestNs = std::max(To.LongestNs, From.LongestNs);
  To.Bytes += From.Bytes;
  To.BeginNs = std::min(To.BeginNs, From.BeginNs);
  To.EndNs = std::max(To.EndNs, From.EndNs);
  To.Untied += From.Untied;
}

/// The name of the innermost scope of Kind in a scope path; empty: none.
static StringRef innermost(const Trace &T, uint32_t Path, ScopeKind Kind) {
  ArrayRef<ScopePath> Paths = T.scopePaths();
  // A parent's id is less than its child's, so the loop ends.
  for (; Path && Path <= Paths.size(); Path = Paths[Path - 1].Parent) {
    uint32_t Scope = Paths[Path - 1].Scope;
    if (Scope && Scope <= T.scopes().size() &&
        T.scopes()[Scope - 1].Kind == Kind)
      return T.string(T.scopes()[Scope - 1].Name);
  }
  return {};
}

static std::string rowName(const Trace &T, WorkBy By, const DeviceTimeStats &D,
                           StringRef Line) {
  if (By == WorkBy::Stream)
    return "stream " + std::to_string(D.Stream);
  if (By == WorkBy::Line)
    return Line.empty() ? "(launch not known)" : Line.str();
  return workName(D.Kind, T.string(D.Name), D.Graph);
}

/// What rows that are joined have in common; the last numbers a row of Each.
using WorkKey = std::tuple<uint32_t, std::string, uint64_t, size_t>;

std::vector<DeviceWorkRow> queryDeviceWork(const SelectedStats &S, WorkBy By) {
  const Trace &T = S.trace();
  std::vector<DeviceWorkRow> Rows;
  if (T.summary().DeviceTimes.empty())
    return Rows;
  Places Of(S);
  std::map<WorkKey, size_t> Known;
  for (const DeviceTimeStats &D : T.summary().DeviceTimes) {
    if (!S.selection().hasProcess(D.Process))
      continue;
    std::string Line = D.Stack ? Of.text(Of.place(Of.of(D.Stack))) : "";
    std::string Name = rowName(T, By, D, Line);
    uint64_t OfStream =
        By == WorkBy::Stream ? uint64_t(D.Process) << 32 | D.Stream : 0;
    WorkKey Key{D.Device, Name, OfStream, By == WorkBy::Each ? Rows.size() : 0};
    auto [At, IsNew] = Known.try_emplace(std::move(Key), Rows.size());
    if (!IsNew) {
      join(Rows[At->second].Sums, D);
      continue;
    }
    Rows.push_back({D, std::move(Name), std::move(Line),
                    innermost(T, D.ScopePath, ScopeKind::Operator),
                    innermost(T, D.ScopePath, ScopeKind::Layer)});
  }
  stable_sort(Rows, [](const DeviceWorkRow &A, const DeviceWorkRow &B) {
    return std::tie(B.Sums.DurationNs, A.Sums.Device, A.Name) <
           std::tie(A.Sums.DurationNs, B.Sums.Device, B.Name);
  });
  return Rows;
}

std::vector<DeviceBusy> queryDeviceBusy(const Trace &T) {
  std::map<uint32_t, DeviceBusy> Found;
  for (const DeviceTimeStats &D : T.summary().DeviceTimes) {
    DeviceBusy &To = Found[D.Device];
    To.Space = D.Device;
    To.Calls += D.Calls;
    To.Untied += D.Untied;
    (D.Kind == WorkKind::Kernel  ? To.KernelNs
     : D.Kind == WorkKind::Graph ? To.GraphNs
                                 : To.CopyNs) += D.DurationNs;
  }
  std::vector<DeviceBusy> Out;
  for (auto &[Space, Busy] : Found)
    Out.push_back(Busy);
  return Out;
}

} // namespace memkit
