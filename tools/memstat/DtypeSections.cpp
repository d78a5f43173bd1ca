// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors by dtype.

#include "Sections.h"
#include "Support/CommandText.h"
#include "Support/Json.h"
#include "memkit/Support/Format.h"

using namespace llvm;

namespace memkit {

using Side = Table::Side;

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
  Table T({{"dtype", Side::Left, true},
           {"heap", Side::Left},
           {"at peak", Side::Right},
           {"share", Side::Right},
           {"blocks", Side::Right},
           {"at end", Side::Right},
           {"allocated", Side::Right},
           {"allocations", Side::Right}});
  for (const DtypeStats &D : *F.O.Dtypes) {
    uint64_t Peak = 0;
    for (const DtypeStats &Of : *F.O.Dtypes)
      Peak += Of.Heap == D.Heap ? Of.AtPeakBytes : 0;
    T.add({oneLine(D.Dtype), F.heapName(D.Heap).str(),
           formatSize(D.AtPeakBytes), formatShare(D.AtPeakBytes, Peak),
           formatCount(D.AtPeakBlocks), formatSize(D.LiveBytes),
           formatSize(D.AllocatedBytes), formatCount(D.Allocations)});
  }
  Out.Rows = std::move(T);
  return Out;
}

void writeDtypeJson(json::OStream &J, const PageInput &F) {
  if (!F.O.Dtypes)
    return;
  J.attributeArray("dtype_list", [&] {
    for (const DtypeStats &D : *F.O.Dtypes)
      J.object([&] {
        J.attribute("dtype", jsonText(D.Dtype));
        J.attribute("heap", jsonText(F.heapName(D.Heap)));
        J.attribute("at_peak_blocks", D.AtPeakBlocks);
        J.attribute("at_peak_bytes", D.AtPeakBytes);
        J.attribute("live_bytes", D.LiveBytes);
        J.attribute("allocations", D.Allocations);
        J.attribute("allocated_bytes", D.AllocatedBytes);
      });
  });
}

} // namespace memkit
