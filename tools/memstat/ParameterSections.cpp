// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters and buffers of PyTorch's modules, by layer and dtype.

#include "Export/TableText.h"
#include "Sections.h"
#include "Tables/TableMaker.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

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

static TableMaker<ParameterStats> parameterColumns(const PageInput &F) {
  using P = ParameterStats;
  auto Layer = [&F](const P &R) { return F.T.string(R.Layer).str(); };
  TableMaker<P> M;
  M.name("layer", Layer)
      .name(
          "layer_and_kind",
          [=](const P &R) { return Layer(R) + (R.Buffer ? " (buffers)" : ""); })
      .name("dtype", [&F](const P &R) { return F.T.string(R.Dtype).str(); })
      .flag("buffer", [](const P &R) { return R.Buffer; })
      .field("tensors", &P::Tensors)
      .field("elements", &P::Elements)
      .field("bytes", &P::Bytes);
  return M;
}

std::optional<PageSection> parameterSection(const PageInput &F) {
  std::vector<ParameterStats> Rows = parametersOf(F);
  if (Rows.empty())
    return std::nullopt;
  size_t Shown = F.shown(Rows.size(), 5), Left = Rows.size() - Shown;
  ParameterStats All, Buffers;
  for (const ParameterStats &P : Rows) {
    ParameterStats &To = P.Buffer ? Buffers : All;
    To.Elements += P.Elements;
    To.Bytes += P.Bytes;
  }
  Rows.resize(Shown);
  PageSection Out;
  Out.Title = "Parameters";
  if (Left)
    Out.Notes.push_back(formatCount(Left) + " more; --top=0 shows all");
  Out.Notes.push_back("all parameters: " + formatCount(All.Elements) +
                      " elements, " + formatSize(All.Bytes) +
                      "; buffers: " + formatSize(Buffers.Bytes));
  Out.Rows = tableOf(*parameterColumns(F)
                          .pick("layer_and_kind titled layer, whole dtype, "
                                "tensors, elements, bytes")
                          .rows(std::move(Rows)));
  return Out;
}

void writeParameterJson(json::OStream &J, const PageInput &F) {
  writeRowsJson(J, "parameter_list",
                *parameterColumns(F)
                     .pick("layer, dtype, buffer, tensors, elements, bytes")
                     .rows(parametersOf(F)));
}

} // namespace memkit
