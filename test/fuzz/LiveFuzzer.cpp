// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes what a tool takes from a running recording, whose recorder may be
// another user's.
//
// The input is a row of replies: each a byte that says which parts are sealed,
// five lengths, the text, and the bytes of the trace, the totals, the rows and
// the sections. A reply is refused, or is a trace whose sections can be read or
// are refused.

#include "Live/LiveTrace.h"
#include "memkit/Trace/TraceReader.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace memkit;
using namespace llvm;

namespace {
constexpr unsigned NumParts = 4;

/// The input, from its begin to its end.
class Input {
public:
  explicit Input(StringRef Rest) : Rest(Rest) {}
  bool isEmpty() const { return Rest.empty(); }
  uint8_t byte() { return Rest.empty() ? 0 : uint8_t(take(1)[0]); }
  /// As many bytes as the next two say, or the rest.
  StringRef text() {
    size_t Size = byte();
    return take(Size | size_t(byte()) << 8);
  }

private:
  StringRef take(size_t Size) {
    StringRef Out = Rest.take_front(Size);
    Rest = Rest.drop_front(Out.size());
    return Out;
  }
  StringRef Rest;
};
} // namespace

static Descriptor memoryOf(StringRef Bytes, bool IsSealed) {
  Descriptor Fd(memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (write(Fd.get(), Bytes.data(), Bytes.size()) != ssize_t(Bytes.size()))
    abort();
  if (IsSealed)
    fcntl(Fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
  return Fd;
}

static void readAll(std::shared_ptr<const TraceBytes> Bytes) {
  auto R = TraceReader::create(std::move(Bytes));
  if (!R)
    return consumeError(R.takeError());
  for (const SectionInfo &B : (*R)->sections())
    consumeError((*R)->readAny(B).takeError());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  constexpr unsigned MaxReplies = 8;
  Input In(StringRef(reinterpret_cast<const char *>(Data), Size));
  LiveFollower F("live:1");
  for (unsigned I = 0; I != MaxReplies && !In.isEmpty(); ++I) {
    LiveMessage M;
    uint8_t Unsealed = In.byte();
    M.Text = In.text().str();
    for (unsigned Part = 0; Part != NumParts; ++Part)
      M.Fds.push_back(memoryOf(In.text(), !(Unsealed >> Part & 1)));
    auto Bytes = F.take(std::move(M), "live:1");
    if (Bytes)
      readAll(std::move(*Bytes));
    else
      consumeError(Bytes.takeError());
  }
  return 0;
}
