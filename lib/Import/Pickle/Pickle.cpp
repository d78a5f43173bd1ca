// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads Python's pickles of plain values, and runs nothing.

#include "Pickle.h"
#include "PickleReader.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace memkit;

PickleConsumer::~PickleConsumer() = default;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<bool> PickleValue::boolean() const {
  if (kind() != PickleKind::Bool)
    return std::nullopt;
  return Slot.value() != 0;
}

std::optional<uint64_t> PickleValue::bigNumber(const PickleStore &Store,
                                               PickleSlot Slot) {
  if (Store.kind(Slot) != PickleKind::Int)
    return std::nullopt;
  bool IsLarge;
  uint64_t Value = Store.integerOf(Slot, IsLarge);
  if (int64_t(Value) < 0 && !IsLarge)
    return std::nullopt;
  return Value;
}

std::optional<int64_t> PickleValue::signedNumber() const {
  if (kind() != PickleKind::Int)
    return std::nullopt;
  bool IsLarge;
  uint64_t Value = Store->integerOf(Slot, IsLarge);
  if (IsLarge)
    return std::nullopt;
  return int64_t(Value);
}

std::optional<double> PickleValue::real() const {
  if (kind() != PickleKind::Float)
    return std::nullopt;
  return Store->realOf(Slot);
}

uint32_t PickleValue::size() const {
  if (!isContainer())
    return 0;
  uint32_t Slots = Store->size(Slot);
  return isDict() ? Slots / 2 : Slots;
}

namespace {

/// Prints a value, no deeper than MaxDepth: a value may contain itself.
class PicklePrinter {
public:
  PicklePrinter(raw_ostream &OS, size_t Max) : OS(OS), Max(Max) {}

  void print(PickleValue V, unsigned Depth = 0) {
    if (OS.tell() >= Max)
      return;
    switch (V.kind()) {
    case PickleKind::None:
      OS << "None";
      return;
    case PickleKind::Bool:
      OS << (*V.boolean() ? "True" : "False");
      return;
    case PickleKind::Int:
      if (std::optional<uint64_t> N = V.number())
        OS << *N;
      else
        OS << *V.signedNumber();
      return;
    case PickleKind::Float:
      OS << format("%.17g", *V.real());
      return;
    case PickleKind::Text:
      OS << '\'' << V.text().take_front(Max) << '\'';
      return;
    case PickleKind::Note:
    case PickleKind::Other:
      OS << "...";
      return;
    case PickleKind::List:
    case PickleKind::Tuple:
    case PickleKind::Dict:
      return printContainer(V, Depth);
    }
  }

private:
  void printContainer(PickleValue V, unsigned Depth) {
    bool IsDict = V.isDict(), IsTuple = V.kind() == PickleKind::Tuple;
    OS << (IsDict ? '{' : IsTuple ? '(' : '[');
    StringRef Separator = "";
    if (Depth == MaxDepth) {
      OS << "...";
    } else if (IsDict) {
      V.forEachEntry([&](PickleValue Key, PickleValue Value) {
        if (OS.tell() >= Max)
          return;
        OS << std::exchange(Separator, ", ");
        print(Key, Depth + 1);
        OS << ": ";
        print(Value, Depth + 1);
      });
    } else {
      V.forEach(
          [&](PickleValue Value) {
            if (OS.tell() >= Max)
              return;
            OS << std::exchange(Separator, ", ");
            print(Value, Depth + 1);
          },
          uint32_t(Max));
    }
    OS << (IsDict ? '}' : IsTuple ? ')' : ']');
  }

  static constexpr unsigned MaxDepth = 8;
  raw_ostream &OS;
  size_t Max;
};

} // namespace

std::string PickleValue::print(size_t Max) const {
  std::string Text;
  raw_string_ostream OS(Text);
  PicklePrinter(OS, Max).print(*this);
  Text.resize(std::min(Text.size(), Max));
  return Text;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static Error checkProtocol(ByteReader &From) {
  uint8_t Op = From.u8(), Protocol = From.u8();
  if (From.failed() || PickleOp(Op) != PickleOp::Proto)
    return From.fail("no pickle of protocol 2 to 5", 0);
  if (Protocol < 2 || Protocol > 5)
    return From.fail("the pickle has protocol " + Twine(unsigned(Protocol)) +
                         "; this memkit reads protocols 2 to 5",
                     1);
  return Error::success();
}

Error memkit::readPickle(const ImportFile &File, ArrayRef<StringLiteral> Names,
                         ArrayRef<PickleRule> Rules, PickleConsumer &To,
                         const ProgressCallback &OnProgress) {
  Expected<ByteReader> First = ByteReader::open(File);
  if (!First)
    return First.takeError();
  if (Error E = checkProtocol(*First))
    return E;
  Expected<PickleMemo> Memo = PickleMemo::scan(*First);
  if (!Memo)
    return Memo.takeError();
  Expected<ByteReader> From = ByteReader::open(File, OnProgress);
  if (!From)
    return From.takeError();
  return PickleReader(*From, *Memo, Names, Rules, To).run();
}
