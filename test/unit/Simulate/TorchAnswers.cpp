// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the model of PyTorch's allocator with answers of the real one.
//
//   TorchAnswers < ANSWERS
//
// Reads sequences of requests from standard input and gives each request to the
// model. Prints the first answer of the model that differs, and fails; else
// prints the number of sequences and requests.
//
//   torch BYTES CONF            a sequence: bytes of the device, settings or -
//   a ID BYTES STREAM POOL      allocate; `oom` behind it: refused
//   f ID                        free
//   u ID                        another stream uses the block
//   e                           empty_cache()
//   b, d                        streams are busy, done
//   c POOL, x                   requests are for the pool, for the own pool
//   C, X                        a capture begins, ends
//   r POOL                      no graph uses the pool any more
//
// Each request ends in `= RESERVED ALLOCATED ACTIVE MALLOCS FREES`. `#` begins
// a comment.

#include "Simulate/TorchAllocator.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace llvm;
using namespace memkit;

namespace {
class AnswerChecker {
public:
  /// False: the model's answer to Line differs, or Line is wrong; says so.
  bool take(StringRef Line);
  uint64_t numSequences() const { return NumSequences; }
  uint64_t numRequests() const { return NumRequests; }

private:
  bool start(ArrayRef<StringRef> Words);
  bool request(ArrayRef<StringRef> Words, std::string &Answer);
  uint32_t stream(uint32_t Stream, uint32_t Pool);

  std::optional<TorchAllocator> Model;
  DenseMap<uint32_t, uint32_t> Live; ///< by id
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Streams;
  std::string Conf;
  uint64_t NumSequences = 0, NumRequests = 0;
};
} // namespace

static uint64_t number(ArrayRef<StringRef> Words, size_t At) {
  uint64_t Number = 0;
  if (At >= Words.size() || Words[At].getAsInteger(10, Number))
    return 0;
  return Number;
}

uint32_t AnswerChecker::stream(uint32_t Stream, uint32_t Pool) {
  auto [It, IsNew] = Streams.try_emplace({Stream, Pool}, 0);
  if (IsNew)
    It->second = Model->addStream(Pool);
  return It->second;
}

bool AnswerChecker::start(ArrayRef<StringRef> Words) {
  Conf = Words.size() > 2 && Words[2] != "-" ? Words[2].str() : "";
  Expected<TorchConfig> C = TorchConfig::parse(Conf);
  if (!C) {
    errs() << toString(C.takeError()) << '\n';
    return false;
  }
  Model.emplace(*C, number(Words, 1));
  Live.clear();
  Streams.clear();
  ++NumSequences;
  return true;
}

/// Gives a request to the model. False: there is no such request.
bool AnswerChecker::request(ArrayRef<StringRef> Words, std::string &Answer) {
  char Kind = Words[0][0];
  auto Id = uint32_t(number(Words, 1));
  switch (Kind) {
  case 'a': {
    uint32_t Block =
        Model->allocate(number(Words, 2), stream(uint32_t(number(Words, 3)),
                                                 uint32_t(number(Words, 4))));
    if (Block == TorchAllocator::NoBlock)
      Answer = "oom ";
    else
      Live[Id] = Block;
    return true;
  }
  case 'f':
  case 'u': {
    auto It = Live.find(Id);
    if (It == Live.end())
      return false;
    if (Kind == 'u')
      return Model->use(It->second), true;
    Model->free(It->second);
    Live.erase(It);
    return true;
  }
  case 'e':
    return Model->emptyCache(), true;
  case 'b':
  case 'd':
    return Model->setBusy(Kind == 'b'), true;
  case 'C':
  case 'X':
    return Model->setCapturing(Kind == 'C'), true;
  case 'r':
    return Model->releasePool(Id), true;
  default:
    return Kind == 'c' || Kind == 'x';
  }
}

bool AnswerChecker::take(StringRef Line) {
  auto [Request, Expected] =
      Line.take_until([](char C) { return C == '#'; }).split('=');
  SmallVector<StringRef> Words;
  Request.split(Words, ' ', -1, /*KeepEmpty=*/false);
  if (Words.empty())
    return true;
  if (Words[0] == "torch")
    return start(Words);
  std::string Answer;
  if (!Model || !request(Words, Answer)) {
    errs() << "no request: " << Line << '\n';
    return false;
  }
  const TorchStats &S = Model->stats();
  raw_string_ostream(Answer)
      << S.Reserved << ' ' << S.Allocated << ' ' << S.Allocated + S.Waiting
      << ' ' << S.NumMallocs << ' ' << S.NumFrees;
  bool IsRefused = Words.back() == "oom";
  std::string Wanted = ((IsRefused ? "oom " : "") + Expected.trim()).str();
  ++NumRequests;
  if (Answer == Wanted)
    return true;
  errs() << "settings '" << Conf << "': " << Line << "\n  the model: " << Answer
         << '\n';
  return false;
}

int main() {
  auto In = MemoryBuffer::getSTDIN();
  if (!In)
    return 2;
  AnswerChecker Checker;
  StringRef Text = (*In)->getBuffer(), Sequence;
  for (size_t Number = 1; !Text.empty(); ++Number) {
    auto [Line, Rest] = Text.split('\n');
    Text = Rest;
    if (Line.starts_with("torch"))
      Sequence = Line;
    if (!Checker.take(Line)) {
      errs() << "  line " << Number << ", of " << Sequence << '\n';
      return 1;
    }
  }
  outs() << Checker.numRequests() << " requests of " << Checker.numSequences()
         << " sequences: equal\n";
}
