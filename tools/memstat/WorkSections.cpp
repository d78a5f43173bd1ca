// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of devices' work.

#include "Export/TableText.h"
#include "Sections.h"
#include "Tables/TableMaker.h"
#include "memkit/Model/DeviceWork.h"
#include "memkit/Support/Format.h"

using namespace llvm;

namespace memkit {

static TableMaker<DeviceBusy> busyColumns(const PageInput &F) {
  using B = DeviceBusy;
  TableMaker<B> M;
  M.choice("device", [&F](const B &R) { return F.T.spaceName(R.Space); })
      .field("calls", &B::Calls)
      .field("kernels_ns", &B::KernelNs)
      .field("copies_ns", &B::CopyNs)
      .field("graphs_ns", &B::GraphNs)
      .field("untied", &B::Untied);
  return M;
}

std::optional<PageSection> workSection(const PageInput &F) {
  std::vector<DeviceBusy> Busy = queryDeviceBusy(F.T);
  if (Busy.empty())
    return std::nullopt;
  PageSection Out;
  Out.Title = "Device time";
  Out.Rows = tableOf(*busyColumns(F)
                          .pick("device, kernels_ns titled kernels, copies_ns "
                                "titled copies, graphs_ns titled graphs, calls")
                          .rows(Busy));
  Out.Notes.push_back("copies: with memsets; memdump --kernels has each kernel "
                      "and line");
  std::vector<uint64_t> Losses = F.T.losses();
  if (uint64_t Lost = Losses[lossIndex(LossKind::DeviceWork)])
    Out.Notes.push_back(lostWorkSentence(Lost));
  if (uint64_t Cut = Losses[lossIndex(LossKind::DeviceSpans)])
    Out.Notes.push_back(cutSpansSentence(Cut));
  return Out;
}

void writeWorkJson(json::OStream &J, const PageInput &F) {
  writeRowsJson(J, "device_time",
                *busyColumns(F)
                     .pick("device, calls, kernels_ns, copies_ns, graphs_ns, "
                           "untied")
                     .rows(queryDeviceBusy(F.T)));
}

} // namespace memkit
