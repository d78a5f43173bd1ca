// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the model.
//
// The input is the text form of a trace: a fuzzer changes values there more
// easily than values behind a checksum. The text is assembled without checks,
// then the trace is read, replayed and compared, and its stats are computed.
// Errors are fine, crashes are not.

#include "TraceText/Assembler.h"
#include "memkit/Model/Check.h"
#include "memkit/Model/Query.h"
#include "memkit/Model/SelectedStats.h"

using namespace memkit;
using namespace llvm;

static std::unique_ptr<TraceReader> open(StringRef Bytes) {
  auto R = TraceReader::create(MemoryBuffer::getMemBuffer(Bytes, "t", false));
  if (R)
    return std::move(*R);
  consumeError(R.takeError());
  return nullptr;
}

static void sums(StringRef Bytes, const SelectionSpec &Spec) {
  std::unique_ptr<TraceReader> R = open(Bytes);
  if (!R)
    return;
  auto T = Trace::create(std::move(R));
  if (!T)
    return consumeError(T.takeError());
  Expected<Selection> Sel = Selection::create(**T, Spec);
  if (!Sel)
    return consumeError(Sel.takeError());
  Expected<SelectedStats> S = SelectedStats::create(**T, std::move(*Sel));
  if (!S)
    return consumeError(S.takeError());
  S->forEach([](uint32_t, const StackStats &) {});
  (*T)->foldFrames();
  for (uint32_t Stack = 1; Stack <= (*T)->numStacks(); ++Stack)
    (*T)->shownStack(Stack);
}

/// Reads the same sections as a stream.
static void grow(StringRef Bytes) {
  std::unique_ptr<TraceReader> R = open(Bytes);
  std::unique_ptr<Trace> T = Trace::createGrowing("t");
  for (const SectionInfo &B : R ? R->sections() : ArrayRef<SectionInfo>()) {
    Expected<AnySection> Section = R->readAny(B);
    if (!Section)
      return consumeError(Section.takeError());
    if (Error E = T->add(B, *Section))
      return consumeError(std::move(E));
  }
  T->foldFrames();
  for (uint32_t Stack = 0; Stack <= T->numStacks() + 1; ++Stack)
    T->shownStack(Stack);
  queryRun(*T);
  querySteps(*T);
  queryOoms(*T);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Text(reinterpret_cast<const char *>(Data), Size), Bytes;
  StringSink Out(Bytes);
  AssembleOptions Options;
  Options.Unchecked = true;
  consumeError(
      assemble(MemoryBufferRef(Text, "fuzz"), Out, Options).takeError());
  if (std::unique_ptr<TraceReader> R = open(Bytes))
    consumeError(checkTrace(*R).takeError());
  SelectionSpec Spec;
  sums(Bytes, Spec);
  Spec.MinSize = 2;
  sums(Bytes, Spec);
  grow(Bytes);
  return 0;
}
