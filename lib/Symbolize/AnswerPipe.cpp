// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions for source locations through a socket, answers through a pipe.
//
// A question is the number of its first address, whether it asks for detours
// and the number of addresses (4 bytes each), the addresses (8 each) and three
// paths, each with a NUL. A
// record is its kind (a byte), the address's number and the length of its body
// (4 bytes each), and the body. The body of an answer has for each location
// line and start line, the lengths of function and file (4 bytes each), and
// both texts; the body of detours is wire::DetourReply as it lies in memory.

#include "AnswerPipe.h"
#include <cstring>

using namespace llvm;
using namespace memkit;

/// Longer texts are cut, as in a trace.
static constexpr size_t MaxTextBytes = 65536, MaxLocations = 255;
static constexpr size_t HeadBytes = 9, LocationBytes = 16;
static constexpr size_t MaxBodyBytes =
    MaxLocations * (LocationBytes + 2 * MaxTextBytes);

static void put(std::string &Out, uint32_t Value) {
  Out.append(reinterpret_cast<const char *>(&Value), sizeof(Value));
}

template <class T = uint32_t> static T take(StringRef &Bytes) {
  T Value;
  memcpy(&Value, Bytes.data(), sizeof(Value));
  Bytes = Bytes.drop_front(sizeof(Value));
  return Value;
}

static std::string record(PipeRecord Kind, uint32_t Number, StringRef Body) {
  std::string Out(1, char(Kind));
  put(Out, Number);
  put(Out, uint32_t(Body.size()));
  Out += Body;
  return Out;
}

std::string NameQuestion::encode() const {
  std::string Out;
  put(Out, Number);
  put(Out, WantsDetours);
  put(Out, uint32_t(Addresses.size()));
  Out.append(reinterpret_cast<const char *>(Addresses.data()),
             Addresses.size() * sizeof(uint64_t));
  for (const std::string *Path : {&Debug, &Symbols, &Alt}) {
    Out += *Path;
    Out += '\0';
  }
  return Out.size() <= MaxBytes ? Out : "";
}

bool NameQuestion::decode(StringRef Bytes) {
  if (Bytes.size() < 12)
    return false;
  Number = take(Bytes);
  WantsDetours = take(Bytes);
  size_t Count = take(Bytes);
  if (Count == 0 || Count > MaxAddresses ||
      Count * sizeof(uint64_t) > Bytes.size())
    return false;
  Addresses.resize(Count);
  for (uint64_t &A : Addresses)
    A = take<uint64_t>(Bytes);
  for (std::string *Path : {&Debug, &Symbols, &Alt}) {
    size_t Length = Bytes.find('\0');
    if (Length == StringRef::npos)
      return false;
    *Path = Bytes.take_front(Length).str();
    Bytes = Bytes.drop_front(Length + 1);
  }
  return Bytes.empty();
}

std::string memkit::encodeText(PipeRecord Kind, uint32_t Number,
                               StringRef Text) {
  return record(Kind, Number, Text.take_front(MaxTextBytes));
}

std::string memkit::encodeAnswer(uint32_t Number,
                                 ArrayRef<SourceLocation> Locations) {
  std::string Body;
  for (const SourceLocation &L : Locations.take_front(MaxLocations)) {
    StringRef Function = StringRef(L.Function).take_front(MaxTextBytes);
    StringRef File = StringRef(L.File).take_front(MaxTextBytes);
    put(Body, L.Line);
    put(Body, L.StartLine);
    put(Body, uint32_t(Function.size()));
    put(Body, uint32_t(File.size()));
    Body += Function;
    Body += File;
  }
  return record(PipeRecord::Answer, Number, Body);
}

std::string memkit::encodeDetours(uint32_t Number, const wire::DetourReply &D) {
  return record(PipeRecord::Detours, Number,
                StringRef(reinterpret_cast<const char *>(&D), sizeof(D)));
}

bool PipeReader::decode(StringRef Body) {
  if (Kind == PipeRecord::Detours) {
    if (Body.size() != sizeof(Found))
      return false;
    memcpy(&Found, Body.data(), sizeof(Found));
    return true;
  }
  if (Kind != PipeRecord::Answer) {
    Text = Body.str();
    return Kind <= PipeRecord::Fatal;
  }
  Locations.clear();
  while (!Body.empty()) {
    if (Body.size() < LocationBytes || Locations.size() == MaxLocations)
      return false;
    SourceLocation &L = Locations.emplace_back();
    L.Line = take(Body);
    L.StartLine = take(Body);
    uint64_t FunctionBytes = take(Body), FileBytes = take(Body);
    if (FunctionBytes + FileBytes > Body.size())
      return false;
    L.Function = Body.take_front(FunctionBytes).str();
    L.File = Body.substr(FunctionBytes, FileBytes).str();
    Body = Body.drop_front(FunctionBytes + FileBytes);
  }
  return true;
}

PipeReader::PipeStep PipeReader::next() {
  StringRef Rest = StringRef(Buffer).drop_front(Begin);
  if (Rest.size() >= HeadBytes) {
    Kind = PipeRecord(Rest[0]);
    StringRef Head = Rest.drop_front(1);
    Number = take(Head);
    size_t Length = take(Head);
    if (Length > MaxBodyBytes)
      return PipeStep::Broken;
    if (Head.size() >= Length) {
      Begin += HeadBytes + Length;
      return decode(Head.take_front(Length)) ? PipeStep::Record
                                             : PipeStep::Broken;
    }
  }
  Buffer.erase(0, Begin);
  Begin = 0;
  return PipeStep::More;
}
