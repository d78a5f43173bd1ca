// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors by kind, for views.

#include "memkit/TraceText/KindSums.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/Table.h"
#include "memkit/TraceText/EnumNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace memkit;

std::string memkit::kindName(TensorKind K) {
  std::string Name = enumName(K).str();
  std::replace(Name.begin(), Name.end(), '-', ' ');
  return Name;
}

std::string memkit::kindKey(TensorKind K) {
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
static std::string layersText(const KindSum &K, StringOf String) {
  constexpr size_t Max = 3;
  // No layer makes these.
  bool OfNone = K.Kind == TensorKind::Input ||
                K.Kind == TensorKind::Parameter ||
                K.Kind == TensorKind::OptimizerState;
  std::string Text;
  size_t Count = 0;
  for (const KindSum::Layer &L : K.Layers) {
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

void memkit::printKindTable(raw_ostream &OS, ArrayRef<KindSum> Kinds,
                            StringOf String, unsigned Width) {
  using Align = Table::Align;
  Table T({{"kind", Align::Left},
           {"bytes", Align::Right},
           {"share", Align::Right},
           {"blocks", Align::Right},
           {"largest layers", Align::Left, true}});
  uint64_t Total = 0;
  for (const KindSum &K : Kinds)
    Total += K.Bytes;
  for (const KindSum &K : Kinds)
    T.add({kindName(K.Kind), formatSize(K.Bytes), formatShare(K.Bytes, Total),
           formatCount(K.Blocks), layersText(K, String)});
  T.print(OS, Width);
}

void memkit::writeKind(json::OStream &J, const KindSum &K) {
  J.attribute("kind", kindKey(K.Kind));
  J.attribute("bytes", K.Bytes);
  J.attribute("blocks", K.Blocks);
}

void memkit::writeKind(json::OStream &J, const KindSum &K, StringOf String) {
  writeKind(J, K);
  J.attributeArray("layers", [&] {
    for (const KindSum::Layer &L : K.Layers)
      J.object([&] {
        J.attribute("name", L.Name ? json::Value(json::fixUTF8(String(L.Name)))
                                   : json::Value(nullptr));
        J.attribute("bytes", L.Bytes);
        J.attribute("blocks", L.Blocks);
      });
  });
}
