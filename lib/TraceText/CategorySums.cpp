// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors by category, for views.

#include "CategorySums.h"
#include "EnumNames.h"
#include "Support/Json.h"
#include "Support/Table.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace memkit;

std::string memkit::categoryName(TensorCategory K) {
  std::string Name = enumName(K).str();
  std::replace(Name.begin(), Name.end(), '-', ' ');
  return Name;
}

std::string memkit::categoryKey(TensorCategory K) {
  std::string Name = enumName(K).str();
  std::replace(Name.begin(), Name.end(), '-', '_');
  return Name;
}

std::string memkit::formatShare(uint64_t Bytes, uint64_t Total) {
  double Percent = Total ? 100.0 * double(Bytes) / double(Total) : 0;
  if (Bytes && Percent < 0.05)
    return "<0.1 %";
  std::string Text;
  raw_string_ostream(Text) << format("%.1f %%", Percent);
  return Text;
}

/// `encoder.0 1.5 MiB, encoder.1 1 MiB, 7 more`.
static std::string layersText(const CategorySum &K, StringOf String) {
  constexpr size_t Max = 3;
  // Tensors of these categories are not made by layers.
  bool OfNone = K.Category == TensorCategory::Input ||
                K.Category == TensorCategory::Parameter ||
                K.Category == TensorCategory::OptimizerState;
  std::string Text;
  size_t Count = 0;
  for (const CategorySum::Layer &L : K.Layers) {
    if (!L.Name && OfNone)
      continue;
    StringRef Name = L.Name ? String(L.Name) : "(no layer)";
    if (++Count <= Max)
      Text +=
          ((Count > 1 ? ", " : "") + Name + " " + formatSize(L.Bytes)).str();
  }
  if (Count > Max)
    Text += ", " + formatCount(Count - Max) + " more";
  return Text;
}

void memkit::printCategoryTable(raw_ostream &OS,
                                ArrayRef<CategorySum> Categories,
                                StringOf String, unsigned Width) {
  using Side = Table::Side;
  Table T({{"category", Side::Left},
           {"bytes", Side::Right},
           {"share", Side::Right},
           {"blocks", Side::Right},
           {"largest layers", Side::Left, true}});
  uint64_t Total = 0;
  for (const CategorySum &K : Categories)
    Total += K.Bytes;
  for (const CategorySum &K : Categories)
    T.add({categoryName(K.Category), formatSize(K.Bytes),
           formatShare(K.Bytes, Total), formatCount(K.Blocks),
           layersText(K, String)});
  T.print(OS, Width);
}

void memkit::writeCategory(json::OStream &J, const CategorySum &K) {
  J.attribute("category", categoryKey(K.Category));
  J.attribute("bytes", K.Bytes);
  J.attribute("blocks", K.Blocks);
}

void memkit::writeCategory(json::OStream &J, const CategorySum &K,
                           StringOf String) {
  writeCategory(J, K);
  J.attributeArray("layers", [&] {
    for (const CategorySum::Layer &L : K.Layers)
      J.object([&] {
        J.attribute("name", L.Name ? jsonText(String(L.Name)) : nullptr);
        J.attribute("bytes", L.Bytes);
        J.attribute("blocks", L.Blocks);
      });
  });
}
