//===- WriteDictionary.cpp - Dictionary blocks within their limits --------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Symbolize/SymbolizeTrace.h"
#include "memkit/Trace/TraceWriter.h"

using namespace llvm;
using namespace memkit;

namespace {

/// Gathers rows into a block and writes it when the next row would not fit.
class Splitter {
public:
  explicit Splitter(TraceWriter &Out) : Out(Out) {}

  /// Moves the rows of From, each of about Bytes(row) bytes, to Block.*Rows.
  template <typename Row, typename Size>
  Error add(std::vector<Row> &From, std::vector<Row> Dictionary::*Rows,
            Size BytesOf) {
    for (Row &R : From) {
      if (Error E = makeRoom((Block.*Rows).size(), BytesOf(R)))
        return E;
      (Block.*Rows).push_back(std::move(R));
    }
    From.clear();
    return Error::success();
  }

  Error addStacks(Dictionary &D) {
    size_t Next = 0;
    for (NewStack &S : D.Stacks) {
      if (Block.NodeFrames.size() + S.Length > 4 * MaxBlockRows)
        if (Error E = flush())
          return E;
      if (Error E = makeRoom(Block.Stacks.size(), 8 + 4 * uint64_t(S.Length)))
        return E;
      Block.Stacks.push_back(S);
      Block.NodeFrames.insert(Block.NodeFrames.end(), D.NodeFrames.begin() + Next,
                              D.NodeFrames.begin() + Next + S.Length);
      Next += S.Length;
    }
    D.Stacks.clear();
    D.NodeFrames.clear();
    return Error::success();
  }

  Error flush() {
    if (!Bytes)
      return Error::success();
    Error E = Out.write(Block);
    Block = Dictionary();
    Bytes = 0;
    return E;
  }

private:
  // Well below MaxBlockBytes, since the sizes are estimates.
  static constexpr uint64_t FullBytes = MaxBlockBytes / 3;

  Error makeRoom(size_t Rows, uint64_t RowBytes) {
    if (Rows >= MaxBlockRows || (Bytes && Bytes + RowBytes > FullBytes))
      if (Error E = flush())
        return E;
    Bytes += RowBytes;
    return Error::success();
  }

  TraceWriter &Out;
  Dictionary Block;
  uint64_t Bytes = 0;
};

} // namespace

Error memkit::writeDictionary(TraceWriter &Out, Dictionary &D) {
  Splitter S(Out);
  auto Fixed = [](uint64_t Bytes) { return [Bytes](const auto &) { return Bytes; }; };
  // Each kind after those that it names.
  if (Error E = S.add(D.Strings, &Dictionary::Strings,
                      [](const std::string &T) { return T.size() + 12; }))
    return E;
  if (Error E = S.add(D.Devices, &Dictionary::Devices, Fixed(256)))
    return E;
  if (Error E = S.add(D.Modules, &Dictionary::Modules, Fixed(64)))
    return E;
  if (Error E = S.add(D.Functions, &Dictionary::Functions, Fixed(12)))
    return E;
  if (Error E = S.add(D.Frames, &Dictionary::Frames, Fixed(16)))
    return E;
  if (Error E = S.addStacks(D))
    return E;
  if (Error E = S.add(D.Scopes, &Dictionary::Scopes, Fixed(12)))
    return E;
  if (Error E = S.add(D.Contexts, &Dictionary::Contexts, Fixed(12)))
    return E;
  if (Error E = S.add(D.Images, &Dictionary::Images, [](const Image &I) {
        return 80 + 4 * uint64_t(I.Command.size());
      }))
    return E;
  if (Error E = S.add(D.Threads, &Dictionary::Threads, Fixed(32)))
    return E;
  if (Error E = S.add(D.Heaps, &Dictionary::Heaps, Fixed(48)))
    return E;
  if (Error E = S.add(D.Loads, &Dictionary::Loads, Fixed(64)))
    return E;
  if (Error E =
          S.add(D.Symbols, &Dictionary::Symbols, [](const FrameSymbols &F) {
            return 12 + 8 * uint64_t(F.Locations.size());
          }))
    return E;
  return S.flush();
}
