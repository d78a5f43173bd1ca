// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source locations through a pipe.
//
// A record is its kind (a byte), the length of its body (4 bytes) and the body.
// The body of an answer has for each location line and start line, the lengths
// of function and file (4 bytes each), and both texts.

#include "AnswerPipe.h"
#include <cstring>

using namespace llvm;
using namespace memkit;

/// Longer texts are cut, as in a trace.
static constexpr size_t MaxTextBytes = 65536, MaxLocations = 255;
static constexpr size_t HeadBytes = 5, LocationBytes = 16;
static constexpr size_t MaxBodyBytes =
    MaxLocations * (LocationBytes + 2 * MaxTextBytes);

static void put(std::string &Out, uint32_t Value) {
  Out.append(reinterpret_cast<const char *>(&Value), sizeof(Value));
}

static uint32_t take(StringRef &Bytes) {
  uint32_t Value;
  memcpy(&Value, Bytes.data(), sizeof(Value));
  Bytes = Bytes.drop_front(sizeof(Value));
  return Value;
}

static std::string record(PipeRecord Kind, StringRef Body) {
  std::string Out(1, char(Kind));
  put(Out, uint32_t(Body.size()));
  Out += Body;
  return Out;
}

std::string memkit::encodeText(PipeRecord Kind, StringRef Text) {
  return record(Kind, Text.take_front(MaxTextBytes));
}

std::string memkit::encodeAnswer(ArrayRef<SourceLocation> Locations) {
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
  return record(PipeRecord::Answer, Body);
}

bool PipeReader::decode(StringRef Body) {
  if (Kind != PipeRecord::Answer) {
    Text = Body.str();
    return Kind <= PipeRecord::End;
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
