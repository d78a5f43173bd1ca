// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills records from lines.

#include "LineParser.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit::tracetext {

bool LineParser::finish(StringRef What) {
  if (failed())
    return false;
  if (Next < L.Values.size())
    return fail(L.Values[Next].loc(),
                "unexpected value after those of " + What);
  for (const Field &F : L.Fields)
    if (!F.Used)
      return fail(F.Name.data(), What + " has no field `" + F.Name + "`");
  return true;
}

const Value *LineParser::find(StringRef Name) {
  for (Field &F : L.Fields)
    if (F.Name == Name) {
      F.Used = true;
      return &F.V;
    }
  return nullptr;
}

const Value *LineParser::findList(StringRef Name) {
  const Value *V = find(Name);
  if (!V || V->K == Value::List)
    return V;
  fail(V->loc(), "expected a list in [ ]");
  return nullptr;
}

const Value *LineParser::positionalValue(StringRef Name) {
  if (failed())
    return nullptr;
  if (Next < L.Values.size())
    return &L.Values[Next++];
  const char *Loc = L.Fields.empty() ? L.End : L.Fields[0].Name.data();
  fail(Loc, "expected the " + Name);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Single values
//===----------------------------------------------------------------------===//

/// Reads decimal or 0x hexadecimal.
static bool readUnsigned(StringRef S, uint64_t &N) {
  bool Hex = S.consume_front("0x");
  return !S.empty() && !S.getAsInteger(Hex ? 16 : 10, N);
}

bool LineParser::unsignedNumber(const Value &V, uint64_t Max, uint64_t &N) {
  if (V.K != Value::Word || !readUnsigned(V.Spelling, N)) {
    StringRef Digits = V.Spelling;
    bool Hex = Digits.consume_front("0x");
    if (V.K == Value::Word && !Digits.empty() && all_of(Digits, [&](char C) {
          return Hex ? isHexDigit(C) : isDigit(C);
        }))
      return fail(V.loc(), "too large: the most is " + Twine(Max));
    return fail(V.loc(), "expected a number");
  }
  if (N > Max)
    return fail(V.loc(), "too large: the most is " + Twine(Max));
  return true;
}

bool LineParser::signedNumber(const Value &V, int32_t &N) {
  if (V.K != Value::Word || V.Spelling.getAsInteger(10, N))
    return fail(V.loc(), "expected a number of 32 bits");
  return true;
}

bool LineParser::allocationIdValue(const Value &V, uint64_t &N) {
  StringRef S = V.Spelling;
  if (V.K != Value::Word || !S.consume_front("#") || !readUnsigned(S, N))
    return fail(V.loc(), "expected a block, `#N`");
  return true;
}

bool LineParser::enumValue(const Value &V, StringRef What, EnumNames Names,
                           uint8_t &Out) {
  if (V.K == Value::Word)
    for (size_t I = 0; I < Names.size(); ++I)
      if (Names[I] == V.Spelling) {
        Out = uint8_t(I);
        return true;
      }
  // A number, for a value of a newer memkit. Events with an unknown kind could
  // not be encoded.
  uint64_t Number;
  if (Unchecked && Names.data() != enumNames(EventKind()).data() &&
      V.K == Value::Word && readUnsigned(V.Spelling, Number) &&
      Number <= UINT8_MAX) {
    Out = uint8_t(Number);
    return true;
  }
  std::string Known;
  for (StringRef N : Names)
    Known += (Known.empty() ? "" : ", ") + N.str();
  return fail(V.loc(), "unknown " + What + "; known are " + Known);
}

bool LineParser::checkId(const char *Loc, Ref Kind, uint32_t N) {
  if (N <= Defs.count(Kind))
    return true;
  // A reference to a missing node cannot be written: the encoding is relative
  // to the node's place in the tree.
  if (Unchecked && Kind != Ref::Node)
    return true;
  if (Late && Kind != Ref::Node && Kind != Ref::ScopePath) {
    Late->push_back({Kind, N, Loc});
    return true;
  }
  std::string Name = refName(Kind).str();
  if (!Defs.count(Kind))
    return fail(Loc, Name + " " + Twine(N) + " is not defined");
  return fail(Loc, Name + " " + Twine(N) + " is not defined: the highest is " +
                       Twine(Defs.count(Kind)));
}

/// Resolves an id given by a name. False if V is no name or an unknown name.
bool LineParser::named(const Value &V, Ref Kind, uint32_t &N) {
  bool Quoted = V.K == Value::String;
  if (Kind == Ref::String && Quoted)
    N = Defs.string(V.str());
  else if (Kind == Ref::Function && Quoted)
    N = Defs.function(V.str());
  else if (Kind == Ref::Binary && Quoted)
    N = Defs.binary(V.str());
  else if (Kind == Ref::Device && V.str() == "host")
    N = 0;
  else if (Kind == Ref::Device)
    return (N = Defs.findDevice(V.str())) ||
           fail(V.loc(), "there is no device of the space `" + V.str() + "`");
  else if (Kind == Ref::Heap)
    return (N = Defs.findHeap(V.str())) ||
           fail(V.loc(), "there is no heap of the name `" + V.str() + "`");
  else if (Kind == Ref::String || Kind == Ref::Function || Kind == Ref::Binary)
    return fail(V.loc(), "expected the id of a " + refName(Kind) +
                             " or a name in quotes");
  else
    return fail(V.loc(), "expected the id of a " + refName(Kind));
  return true;
}

bool LineParser::reference(const Value &V, Ref Kind, uint32_t &N) {
  if (failed())
    return false;
  StringRef S = V.Spelling;
  if (V.K == Value::List)
    return fail(V.loc(), "expected one id, not a list");
  if (Kind == Ref::Thread && V.K == Value::Word)
    S.consume_front("th");
  uint64_t Wide;
  if (V.K == Value::String || !readUnsigned(S, Wide))
    return named(V, Kind, N);
  if (Wide > UINT32_MAX)
    return fail(V.loc(), "too large: the most is " + Twine(UINT32_MAX));
  N = uint32_t(Wide);
  return checkId(V.loc(), Kind, N);
}

//===----------------------------------------------------------------------===//
// The map
//===----------------------------------------------------------------------===//

void LineParser::id(uint32_t N) {
  const Value *V = positionalValue("id");
  uint64_t Got;
  if (V && unsignedNumber(*V, UINT32_MAX, Got) && Got != N)
    fail(V->loc(), "ids are in sequence: the next " + L.Values[0].Spelling +
                       " is " + Twine(N));
}

void LineParser::thread(uint32_t &N) {
  const Value *V = positionalValue("thread, `thN`");
  if (!V)
    return;
  if (V->K != Value::Word || !V->Spelling.starts_with("th")) {
    fail(V->loc(), "expected the thread, `thN`");
    return;
  }
  reference(*V, Ref::Thread, N);
}

void LineParser::positional(StringRef Name, std::string &S) {
  const Value *V = positionalValue((Name + " in quotes").str());
  if (V && V->K != Value::String)
    fail(V->loc(), "expected the " + Name + " in quotes");
  else if (V)
    S = V->Text;
}

void LineParser::block(StringRef Name, uint64_t &N, bool Optional) {
  if (Optional && Next == L.Values.size())
    return;
  if (const Value *V = positionalValue((Name + ", `#N`").str()))
    allocationIdValue(*V, N);
}

void LineParser::flag(StringRef Name, bool &B, bool) {
  const Value *V = find(Name);
  if (!V)
    return;
  B = V->Spelling == "true";
  if (V->K != Value::Word || (!B && V->Spelling != "false"))
    fail(V->loc(), "expected true or false");
}

void LineParser::text(StringRef Name, std::string &S) {
  const Value *V = find(Name);
  if (V && V->K != Value::String)
    fail(V->loc(), "expected a text in quotes");
  else if (V)
    S = V->Text;
}

void LineParser::enclosing(StringRef Name, uint64_t &N) {
  const Value *V = find(Name);
  if (!V || !allocationIdValue(*V, N))
    return;
  if (N == UINT64_MAX)
    fail(V->loc(), "too large");
  ++N;
}

void LineParser::bytes(StringRef Name, std::vector<uint8_t> &B) {
  const Value *V = find(Name);
  std::string Raw;
  if (!V)
    return;
  if (V->K != Value::Word || !tryGetFromHex(V->Spelling, Raw) ||
      V->Spelling.size() % 2) {
    fail(V->loc(), "expected bytes, two hexadecimal digits each");
    return;
  }
  B.assign(Raw.begin(), Raw.end());
}

void LineParser::clock(StringRef Name, ClockTriple &C) {
  const Value *V = findList(Name);
  if (!V)
    return;
  ArrayRef<Value> Items = L.items(*V);
  if (Items.size() != 3) {
    fail(V->loc(), "expected [tsc monotonic realtime]");
    return;
  }
  number(Items[0], C.Tsc) && number(Items[1], C.MonotonicNs) &&
      number(Items[2], C.RealtimeNs);
}

void LineParser::texts(StringRef Name, std::vector<std::string> &Out) {
  const Value *V = findList(Name);
  if (!V)
    return;
  for (const Value &Item : L.items(*V)) {
    if (Item.K != Value::String) {
      fail(Item.loc(), "expected a text in quotes");
      return;
    }
    Out.push_back(Item.Text);
  }
}

void LineParser::nums(StringRef Name, std::vector<uint64_t> &Out) {
  const Value *V = findList(Name);
  if (!V)
    return;
  for (const Value &Item : L.items(*V)) {
    uint64_t N;
    if (!number(Item, N))
      return;
    Out.push_back(N);
  }
}

void LineParser::refs(StringRef Name, Ref Kind, std::vector<uint32_t> &Out) {
  const Value *V = findList(Name);
  if (!V)
    return;
  for (const Value &Item : L.items(*V)) {
    uint32_t N;
    if (!reference(Item, Kind, N))
      return;
    Out.push_back(N);
  }
}

void LineParser::locations(StringRef Name, std::vector<Location> &Out) {
  const Value *V = findList(Name);
  if (!V)
    return;
  if (V->NumItems > 255)
    fail(V->loc(), "a frame has at most 255 locations");
  for (const Value &Item : L.items(*V)) {
    auto [Function, Line] = Item.Spelling.split(':');
    uint64_t F, N;
    if (Item.K != Value::Word || !readUnsigned(Function, F) ||
        !readUnsigned(Line, N) || F > UINT32_MAX || N > UINT32_MAX) {
      fail(Item.loc(), "expected `function:line`");
      return;
    }
    if (!checkId(Item.loc(), Ref::Function, uint32_t(F)))
      return;
    Out.push_back({uint32_t(F), uint32_t(N)});
  }
}

} // namespace memkit::tracetext
