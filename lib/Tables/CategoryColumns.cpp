// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of tensors by category.

#include "Columns.h"
#include "TraceText/EnumNames.h"
#include "memkit/Support/Format.h"

using namespace llvm;

namespace memkit {

static std::string layerText(const Trace &T, const CategorySum::Layer &L) {
  StringRef Name = L.Name ? T.string(L.Name) : "(no layer)";
  return (Name + " " + formatSize(L.Bytes)).str();
}

/// `encoder.0 1.5 MiB, encoder.1 1 MiB, 7 more`.
static std::string largestLayers(const Trace &T, const CategorySum &K) {
  constexpr size_t Max = 3;
  // Tensors of these categories are not made by layers.
  bool OfNone = K.Category == TensorCategory::Input ||
                K.Category == TensorCategory::Parameter ||
                K.Category == TensorCategory::OptimizerState;
  std::string Text;
  size_t Count = 0;
  for (const CategorySum::Layer &L : K.Layers)
    if ((L.Name || !OfNone) && ++Count <= Max)
      Text += (Count > 1 ? ", " : "") + layerText(T, L);
  if (Count > Max)
    Text += ", " + formatCount(Count - Max) + " more";
  return Text;
}

static std::string largestNamedLayer(const Trace &T, const CategorySum &K) {
  for (const CategorySum::Layer &L : K.Layers)
    if (L.Name)
      return layerText(T, L);
  return "";
}

static RowListRef layersOf(const Trace &T, const CategorySum &K) {
  using L = CategorySum::Layer;
  TableMaker<L> M;
  M.text("name", [&T](const L &R) { return T.string(R.Name).str(); })
      .field("bytes", &L::Bytes)
      .field("blocks", &L::Blocks);
  return M.rows(K.Layers);
}

TableMaker<TensorCategoryRow> categoryColumns(const Trace &T) {
  using R = TensorCategoryRow;
  TableMaker<R> M;
  M.choice("heap", [&T](const R &K) { return T.heapName(K.Of->Heap); })
      .choice("category", [](const R &K) { return enumName(K.Of->Category); })
      .name("category_key",
            [](const R &K) { return categoryKey(K.Of->Category); })
      .name("category_name",
            [](const R &K) { return categoryName(K.Of->Category); })
      .number("bytes", [](const R &K) { return K.Of->Bytes; })
      .text("share",
            [](const R &K) { return formatShare(K.Of->Bytes, K.Whole); })
      .number("blocks", [](const R &K) { return K.Of->Blocks; })
      .text("largest_layers",
            [&T](const R &K) { return largestLayers(T, *K.Of); })
      .text("largest_layer",
            [&T](const R &K) { return largestNamedLayer(T, *K.Of); })
      .list("layers", [&T](const R &K) { return layersOf(T, *K.Of); })
      .text("layer", [&T](const R &K) { return T.string(K.Layer.Name).str(); })
      .number("layer_blocks", [](const R &K) { return K.Layer.Blocks; })
      .number("layer_bytes", [](const R &K) { return K.Layer.Bytes; });
  return M;
}

std::vector<TensorCategoryRow> categoryRows(ArrayRef<CategorySum> Categories,
                                            uint64_t Whole) {
  std::vector<TensorCategoryRow> Rows;
  for (const CategorySum &K : Categories)
    Rows.push_back({&K, Whole});
  return Rows;
}

} // namespace memkit
