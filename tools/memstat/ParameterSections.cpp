// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters and buffers of PyTorch's modules, by layer and dtype.

#include "Sections.h"
#include "Support/Json.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using Side = Table::Side;

/// The rows of the selected processes, summed over them; the most bytes first.
static std::vector<ParameterStats> parametersOf(const PageInput &F) {
  MapVector<std::pair<uint64_t, uint32_t>, ParameterStats> Sums;
  for (const ParameterStats &P : F.T.summary().Parameters) {
    if (!P.Tensors || !F.Sel.hasProcess(P.Process))
      continue;
    ParameterStats &To = Sums[{uint64_t(P.Layer) << 32 | P.Dtype, P.Buffer}];
    To.Layer = P.Layer;
    To.Dtype = P.Dtype;
    To.Buffer = P.Buffer;
    To.Tensors += P.Tensors;
    To.Elements += P.Elements;
    To.Bytes += P.Bytes;
  }
  std::vector<ParameterStats> Rows;
  for (auto &[Key, P] : Sums)
    Rows.push_back(P);
  stable_sort(Rows, [](const ParameterStats &A, const ParameterStats &B) {
    return A.Bytes > B.Bytes;
  });
  return Rows;
}

std::optional<PageSection> parameterSection(const PageInput &F) {
  std::vector<ParameterStats> Rows = parametersOf(F);
  if (Rows.empty())
    return std::nullopt;
  Table T({{"layer", Side::Left, true},
           {"dtype", Side::Left},
           {"tensors", Side::Right},
           {"elements", Side::Right},
           {"bytes", Side::Right}});
  size_t Shown = F.shown(Rows.size(), 5);
  ParameterStats All, Buffers;
  for (const ParameterStats &P : Rows) {
    ParameterStats &To = P.Buffer ? Buffers : All;
    To.Elements += P.Elements;
    To.Bytes += P.Bytes;
  }
  for (const ParameterStats &P : ArrayRef(Rows).take_front(Shown))
    T.add({F.T.string(P.Layer).str() + (P.Buffer ? " (buffers)" : ""),
           F.T.string(P.Dtype).str(), formatCount(P.Tensors),
           formatCount(P.Elements), formatSize(P.Bytes)});
  PageSection Out;
  Out.Title = "Parameters";
  if (Shown < Rows.size())
    Out.Notes.push_back(formatCount(Rows.size() - Shown) +
                        " more; --top=0 shows all");
  Out.Notes.push_back("all parameters: " + formatCount(All.Elements) +
                      " elements, " + formatSize(All.Bytes) +
                      "; buffers: " + formatSize(Buffers.Bytes));
  Out.Rows = std::move(T);
  return Out;
}

void writeParameterJson(json::OStream &J, const PageInput &F) {
  J.attributeArray("parameter_list", [&] {
    for (const ParameterStats &P : parametersOf(F))
      J.object([&] {
        J.attribute("layer", jsonText(F.T.string(P.Layer)));
        J.attribute("dtype", jsonText(F.T.string(P.Dtype)));
        J.attribute("buffer", P.Buffer);
        J.attribute("tensors", P.Tensors);
        J.attribute("elements", P.Elements);
        J.attribute("bytes", P.Bytes);
      });
  });
}

} // namespace memkit
