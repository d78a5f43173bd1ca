// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the merging of traces, and the ranks of a job.
//
// The input is the text form of a trace, as for ModelFuzzer. The trace is
// merged with itself in each kind, and the result must be a trace that can be
// read. An error is fine, a crash is not.

#include "Merge/Merge.h"
#include "TraceText/Assembler.h"
#include "memkit/Analysis/Job.h"
#include "memkit/Model/Trace.h"
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace memkit;
using namespace llvm;

static void stop(const char *Why, Error E) {
  errs() << Why << ": " << toString(std::move(E)) << '\n';
  std::abort();
}

/// The ranks of a merged trace, which must be readable.
static std::vector<JobRank> ranksOf(StringRef Bytes) {
  auto R = TraceReader::create(MemoryBuffer::getMemBuffer(Bytes, "m", false));
  if (!R)
    stop("a merged trace cannot be opened", R.takeError());
  auto T = Trace::create(std::move(*R), TP_All & ~unsigned(TP_Replay));
  if (!T)
    stop("a merged trace cannot be read", T.takeError());
  Expected<std::vector<JobRank>> Ranks = queryRanks(**T);
  if (Ranks)
    return std::move(*Ranks);
  consumeError(Ranks.takeError());
  return {};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Text(reinterpret_cast<const char *>(Data), Size), Bytes;
  StringSink Out(Bytes);
  AssembleOptions Options;
  Options.Unchecked = true;
  consumeError(
      assemble(MemoryBufferRef(Text, "fuzz"), Out, Options).takeError());
  int Fd = memfd_create("fuzz", MFD_CLOEXEC);
  FdSink File(Fd, "fuzz");
  consumeError(File.write(Bytes));
  std::string Path = "/proc/self/fd/" + std::to_string(Fd);
  for (MergeKind Kind :
       {MergeKind::Summary, MergeKind::Sums, MergeKind::Whole}) {
    std::string Merged;
    StringSink To(Merged);
    MergeOptions How;
    How.Kind = Kind;
    Expected<MergeResult> Done = mergeTraces({Path, Path}, To, How);
    if (!Done) {
      consumeError(Done.takeError());
      continue;
    }
    std::vector<JobRank> Ranks = ranksOf(Merged);
    if (!Ranks.empty())
      makeJob({{"m", ""}}, std::move(Ranks));
  }
  close(Fd);
  return 0;
}
