// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors by dtype.

#include "Export/TableText.h"
#include "Sections.h"
#include "Support/CommandText.h"
#include "Tables/TableMaker.h"
#include "memkit/Support/Format.h"

using namespace llvm;

namespace memkit {

static TableMaker<DtypeStats> dtypeColumns(const PageInput &F) {
  using D = DtypeStats;
  auto Share = [&F](const D &R) {
    uint64_t Peak = 0;
    for (const D &Of : *F.O.Dtypes)
      Peak += Of.Heap == R.Heap ? Of.AtPeakBytes : 0;
    return formatShare(R.AtPeakBytes, Peak);
  };
  TableMaker<D> M;
  M.name("dtype", [](const D &R) { return oneLine(R.Dtype); })
      .name("heap", [&F](const D &R) { return F.heapName(R.Heap).str(); })
      .field("at_peak_blocks", &D::AtPeakBlocks)
      .field("at_peak_bytes", &D::AtPeakBytes)
      .text("share", Share)
      .field("live_bytes", &D::LiveBytes)
      .field("allocations", &D::Allocations)
      .field("allocated_bytes", &D::AllocatedBytes);
  return M;
}

std::optional<PageSection> dtypeSection(const PageInput &F) {
  if (!F.O.Dtypes)
    return std::nullopt;
  PageSection Out;
  Out.Title = "Tensors by dtype";
  if (F.O.Dtypes->empty()) {
    Out.Lines.push_back("The trace has no dtypes of tensors. memrec records "
                        "them of TensorFlow, and of PyTorch with "
                        "--torch=shapes.");
    return Out;
  }
  Out.Rows = tableOf(*dtypeColumns(F)
                          .pick("dtype, whole heap, at_peak_bytes titled at "
                                "peak, right whole share, at_peak_blocks "
                                "titled blocks, live_bytes titled at end, "
                                "allocated_bytes, allocations")
                          .rows(*F.O.Dtypes));
  return Out;
}

void writeDtypeJson(json::OStream &J, const PageInput &F) {
  if (F.O.Dtypes)
    writeRowsJson(J, "dtype_list",
                  *dtypeColumns(F)
                       .pick("dtype, heap, at_peak_blocks, at_peak_bytes, "
                             "live_bytes, allocations, allocated_bytes")
                       .rows(*F.O.Dtypes));
}

} // namespace memkit
