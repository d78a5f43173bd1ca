// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats and parses sizes, times and counts.

#include "memkit/Support/Format.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;

namespace memkit {

/// Value with at most two decimals, fewer from 10 on, and no trailing zeros.
static std::string threeDigits(double Value) {
  int Places = Value < 9.995 ? 2 : Value < 99.95 ? 1 : 0;
  std::string Text;
  raw_string_ostream(Text) << format("%.*f", Places, Value);
  if (Text.find('.') == std::string::npos)
    return Text;
  while (Text.back() == '0')
    Text.pop_back();
  if (Text.back() == '.')
    Text.pop_back();
  return Text;
}

std::string formatSize(uint64_t Bytes) {
  if (Bytes < 1024)
    return std::to_string(Bytes) + " B";
  static const char *const Units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double Value = Bytes / 1024.0;
  unsigned Unit = 0;
  // Values that would print as 1024 become 1 of the next unit.
  for (; Value >= 1023.5 && Unit + 1 < std::size(Units); ++Unit)
    Value /= 1024;
  return threeDigits(Value) + " " + Units[Unit];
}

std::string formatShare(uint32_t Millionths) {
  std::string Text;
  raw_string_ostream(Text) << format("%.1f %%", Millionths / 1e4);
  return Text;
}

std::string formatShare(uint64_t Part, uint64_t Total) {
  double Percent = Total ? 100.0 * double(Part) / double(Total) : 0;
  if (Part && Percent < 0.05)
    return "<0.1 %";
  std::string Text;
  raw_string_ostream(Text) << format("%.1f %%", Percent);
  return Text;
}

std::string formatEstimate(uint64_t Bytes, uint64_t StandardError) {
  std::string Text = formatSize(Bytes);
  if (!StandardError)
    return Text;
  // Use the estimate's unit, unless the estimate is in bytes or the error is
  // too large for the unit.
  double Unit = 1;
  for (uint64_t Larger = Bytes; Larger >= 1024; Larger /= 1024)
    Unit *= 1024;
  if (Bytes < 1024 || StandardError / Unit >= 1000)
    return Text + " ±" + formatSize(StandardError);
  double Error = StandardError / Unit;
  raw_string_ostream(Text) << " ±"
                           << format(Error < 9.95 ? "%.1f" : "%.0f", Error);
  return Text;
}

static uint64_t magnitude(int64_t Value) {
  return Value < 0 ? 0 - static_cast<uint64_t>(Value) : Value;
}

static const char *signOf(int64_t Value) {
  return Value < 0 ? "-" : Value > 0 ? "+" : "";
}

std::string formatSizeChange(int64_t Bytes) {
  std::string Text = signOf(Bytes);
  return Text += formatSize(magnitude(Bytes));
}

static std::string twoUnits(uint64_t High, char HighUnit, uint64_t Low,
                            char LowUnit) {
  std::string Text;
  raw_string_ostream(Text) << High << HighUnit << ' '
                           << format("%02u", static_cast<unsigned>(Low))
                           << LowUnit;
  return Text;
}

std::string formatTime(uint64_t Ns) {
  if (Ns < 1000)
    return std::to_string(Ns) + " ns";
  if (Ns < 999'500)
    return threeDigits(Ns / 1e3) + " us";
  if (Ns < 999'500'000)
    return threeDigits(Ns / 1e6) + " ms";
  uint64_t Seconds = (Ns + 500'000'000) / 1'000'000'000;
  if (Seconds < 60)
    return threeDigits(Ns / 1e9) + " s";
  if (Seconds < 3600)
    return twoUnits(Seconds / 60, 'm', Seconds % 60, 's');
  return twoUnits(Seconds / 3600, 'h', Seconds / 60 % 60, 'm');
}

std::string formatCount(uint64_t Count) {
  std::string Text = std::to_string(Count);
  for (size_t At = Text.size(); At > 3;) {
    At -= 3;
    Text.insert(At, 1, ',');
  }
  return Text;
}

std::string formatCountChange(int64_t Count) {
  std::string Text = signOf(Count);
  return Text += formatCount(magnitude(Count));
}

std::string plural(uint64_t Count, StringRef What) {
  return formatCount(Count) + " " + What.str() + (Count == 1 ? "" : "s");
}

/// Splits `1.5 GiB` into number and unit; false without a number.
static bool splitNumber(StringRef Text, double &Number, StringRef &Unit) {
  Text = Text.trim();
  size_t End = Text.find_first_not_of("0123456789.");
  StringRef Digits = Text.substr(0, End);
  Unit = End == StringRef::npos ? StringRef() : Text.substr(End).trim();
  return !Digits.empty() && !Digits.getAsDouble(Number) &&
         std::isfinite(Number);
}

static Error badText(StringRef Text, const Twine &Wanted) {
  return makeRequestError("'" + Text + "' is not " + Wanted);
}

static double sizeUnit(StringRef Unit) {
  if (Unit.empty() || Unit.equals_insensitive("b"))
    return 1;
  size_t Power = StringRef("kmgtpe").find(toLower(Unit[0]));
  if (Power == StringRef::npos)
    return 0;
  StringRef Rest = Unit.drop_front();
  if (Rest.empty() || Rest.equals_insensitive("ib") ||
      Rest.equals_insensitive("i"))
    return std::pow(1024.0, Power + 1);
  return Rest.equals_insensitive("b") ? std::pow(1000.0, Power + 1) : 0;
}

Expected<uint64_t> parseSize(StringRef Text) {
  uint64_t Exact;
  if (!Text.trim().getAsInteger(10, Exact))
    return Exact;
  double Number;
  StringRef Unit;
  if (!splitNumber(Text, Number, Unit) || sizeUnit(Unit) == 0)
    return badText(Text, "a size (such as 4096, 64K or 1.5GiB)");
  double Bytes = Number * sizeUnit(Unit);
  if (Bytes >= 0x1p64)
    return badText(Text, "a size below 16 EiB");
  return static_cast<uint64_t>(Bytes);
}

Expected<uint64_t> parseTime(StringRef Text) {
  double Number = 0;
  StringRef Unit;
  bool Fine = splitNumber(Text, Number, Unit);
  double Scale = StringSwitch<double>(Unit)
                     .Case("ns", 1)
                     .Case("us", 1e3)
                     .Case("ms", 1e6)
                     .Cases("", "s", 1e9)
                     .Cases("m", "min", 60e9)
                     .Case("h", 3600e9)
                     .Default(0);
  if (!Fine || Scale == 0 || Number * Scale >= 0x1p63)
    return badText(Text, "a time (such as 30s, 1.5ms or 2m)");
  return static_cast<uint64_t>(Number * Scale);
}

uint64_t Threshold::bytesOf(uint64_t Total) const {
  return IsFraction ? static_cast<uint64_t>(Fraction * Total) : Bytes;
}

Expected<Threshold> parseThreshold(StringRef Text) {
  Threshold T;
  StringRef Trimmed = Text.trim();
  if (Trimmed.consume_back("%")) {
    double Percent;
    StringRef Unit;
    if (!splitNumber(Trimmed, Percent, Unit) || !Unit.empty() || Percent > 100)
      return badText(Text, "a percentage from 0% to 100%");
    T.IsFraction = true;
    T.Fraction = Percent / 100;
    return T;
  }
  Expected<uint64_t> Bytes = parseSize(Trimmed);
  if (!Bytes)
    return Bytes.takeError();
  T.Bytes = *Bytes;
  return T;
}

} // namespace memkit
