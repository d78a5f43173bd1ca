// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints how the memory of a program follows from a quantity.

#include "Cli/Terminal.h"
#include "Laws.h"
#include "Support/Json.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace llvm;
using namespace memkit;

/// `-3 MiB`. What rounding leaves of nothing is nothing.
static std::string bytesText(double Bytes) {
  double Whole = std::round(Bytes);
  return (Whole < 0 ? "-" : "") + formatSize(uint64_t(std::abs(Whole)));
}

/// Two digits behind the point, for parts of a byte.
static std::string rateText(double Bytes) {
  constexpr double Small = 100;
  if (std::abs(Bytes) >= Small || std::abs(Bytes) < 0.005)
    return bytesText(Bytes);
  std::string Text;
  raw_string_ostream(Text) << format("%.2f B", Bytes);
  return Text;
}

static std::string quantityText(double Q) {
  if (Q == std::floor(Q))
    return formatCount(uint64_t(Q));
  std::string Text;
  raw_string_ostream(Text) << format("%g", Q);
  return Text;
}

/// `61 MiB + 12.4 MiB x batch`.
static std::string lawText(const SizeLaw &L, StringRef Name) {
  std::string Text =
      bytesText(L.Constant) + " + " + rateText(L.Linear) + " x " + Name.str();
  if (L.Square != 0)
    Text += " + " + rateText(L.Square) + " x " + Name.str() + "^2";
  return Text;
}

/// How far the law is from the recordings.
static void printMiss(raw_ostream &OS, const QuantityLaws &L) {
  OS << " (" << formatCount(L.Runs.size()) << " recordings";
  double Miss = largestMiss(L.Law, L.Runs);
  size_t Terms = L.Law.Square != 0 ? 3 : 2;
  if (L.Runs.size() <= Terms)
    OS << ": as many as the law has terms, so nothing contradicts it";
  else
    OS << ", off by at most " << bytesText(Miss);
  OS << ")\n";
}

/// The quantity that fits when the law has another value there, by as much as
/// the laws without one of the recordings say.
static void printFitting(raw_ostream &OS, const QuantityLaws &L) {
  if (!L.DeviceBytes)
    return;
  const MeasuredSize &First = L.Runs.front();
  double Device = double(L.DeviceBytes);
  std::optional<double> Fits = largestFitting(L.Law, L.Runs, Device);
  if (!Fits) {
    OS << "does not fit " << formatSize(L.DeviceBytes) << " at " << L.Name
       << ' ' << quantityText(First.Quantity) << ": "
       << bytesText(First.Bytes - Device) << " short\n";
    return;
  }
  if (*Fits == AnyFits) {
    OS << "fits " << formatSize(L.DeviceBytes) << " with any " << L.Name
       << ": memory does not rise with it\n";
    return;
  }
  OS << "fits " << formatSize(L.DeviceBytes) << " up to " << L.Name << ' '
     << quantityText(*Fits);
  if (std::optional<LawRange> Range = rangeAt(L.Law, L.Runs, *Fits))
    OS << ", where the laws without one of the recordings say "
       << bytesText(Range->Low) << " to " << bytesText(Range->High);
  OS << '\n';
}

static void printPlaces(SimPage &P, const QuantityLaws &L) {
  constexpr size_t MaxPlaces = 20;
  double Last = L.Runs.back().Quantity;
  bool HasSquares =
      any_of(L.Places, [](const PlaceLaw &O) { return O.Law.Square != 0; });
  std::vector<Table::Column> Columns{
      {"at " + L.Name + " " + quantityText(Last), Table::Side::Right},
      {"constant", Table::Side::Right},
      {"x " + L.Name, Table::Side::Right}};
  if (HasSquares)
    Columns.push_back({"x " + L.Name + "^2", Table::Side::Right});
  Columns.push_back({"place", Table::Side::Left, true});
  Table Rows(Columns);
  for (const PlaceLaw &O : ArrayRef(L.Places).take_front(MaxPlaces)) {
    std::vector<std::string> Cells{bytesText(O.Runs.back().Bytes),
                                   bytesText(O.Law.Constant),
                                   rateText(O.Law.Linear)};
    if (HasSquares)
      Cells.push_back(O.Law.Square != 0 ? rateText(O.Law.Square) : "");
    Cells.push_back(O.Place);
    Rows.add(std::move(Cells));
  }
  P.table(Rows, outputWidth());
  if (L.Places.size() > MaxPlaces)
    P.text() << formatCount(L.Places.size() - MaxPlaces)
             << " other places; --format=json has all\n";
}

void memkit::printLaws(SimPage &P, ArrayRef<QuantityLaws> All) {
  for (const QuantityLaws &L : All) {
    if (&L != All.begin())
      P.text() << '\n';
    P.text() << L.Of << ", at the peak: " << lawText(L.Law, L.Name);
    printMiss(P.text(), L);
    printFitting(P.text(), L);
    printPlaces(P, L);
  }
}

static void writeLaw(json::OStream &J, const SizeLaw &L,
                     ArrayRef<MeasuredSize> Runs) {
  J.attribute("constant_bytes", L.Constant);
  J.attribute("linear_bytes", L.Linear);
  J.attribute("square_bytes", L.Square);
  J.attribute("largest_miss_bytes", largestMiss(L, Runs));
  J.attributeArray("runs", [&] {
    for (const MeasuredSize &R : Runs)
      J.object([&] {
        J.attribute("quantity", R.Quantity);
        J.attribute("bytes", R.Bytes);
      });
  });
}

void memkit::writeLawJson(raw_ostream &OS, ArrayRef<QuantityLaws> All) {
  json::OStream J(OS, 2);
  J.object([&] {
    J.attributeArray("laws", [&] {
      for (const QuantityLaws &L : All)
        J.object([&] {
          J.attribute("quantity", jsonText(L.Name));
          J.attribute("of", jsonText(L.Of));
          writeLaw(J, L.Law, L.Runs);
          if (L.DeviceBytes) {
            J.attribute("device_bytes", L.DeviceBytes);
            std::optional<double> Fits =
                largestFitting(L.Law, L.Runs, double(L.DeviceBytes));
            J.attribute("largest_that_fits",
                        Fits ? json::Value(*Fits) : json::Value(nullptr));
          }
          J.attributeArray("places", [&] {
            for (const PlaceLaw &P : L.Places)
              J.object([&] {
                J.attribute("place", jsonText(P.Place));
                writeLaw(J, P.Law, P.Runs);
              });
          });
        });
    });
  });
  OS << '\n';
}
