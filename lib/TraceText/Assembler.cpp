// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text form to trace.

#include "memkit/TraceText/Assembler.h"
#include "BlockParser.h"
#include "memkit/Trace/TraceWriter.h"

using namespace llvm;
using namespace memkit;
using namespace memkit::tracetext;

char SyntaxError::ID = 0;

void SyntaxError::log(raw_ostream &OS) const {
  Diagnostic.print(nullptr, OS, /*ShowColors=*/false);
}

std::error_code SyntaxError::convertToErrorCode() const {
  return std::make_error_code(std::errc::invalid_argument);
}

namespace {

class Assembler {
public:
  Assembler(MemoryBufferRef Text, Sink &Out, const AssembleOptions &Options)
      : Text(Text), Out(Out), Unchecked(Options.Unchecked),
        Blocks(Problem, Unchecked) {}

  Expected<Assembled> run();

private:
  llvm::Error line(Line &L);
  llvm::Error beginBlock(BlockKind Kind, Line &L);
  llvm::Error raw(Line &L);
  llvm::Error endBlock();
  llvm::Error writeDefinitions();
  template <class B> llvm::Error write(const B &Block);
  llvm::Error open();
  llvm::Error problem();
  llvm::Error problemAt(const char *Loc, const Twine &What) {
    Problem.set(Loc, What.str());
    return problem();
  }

  MemoryBufferRef Text;
  Sink &Out;
  bool Unchecked;
  TextError Problem;
  BlockParser Blocks;
  IdLimits Limits;
  std::unique_ptr<TraceWriter> Writer;
  Assembled Result;
};

} // namespace

llvm::Error Assembler::problem() {
  SourceMgr Sources;
  Sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(Text, false), SMLoc());
  return make_error<SyntaxError>(Sources.GetMessage(
      SMLoc::getFromPointer(Problem.Loc), SourceMgr::DK_Error, Problem.What));
}

llvm::Error Assembler::writeDefinitions() {
  if (Blocks.Defs.empty() && Blocks.kind() != BlockKind::Dictionary)
    return llvm::Error::success();
  Dictionary D = std::exchange(Blocks.Defs.Pending, {});
  std::string What = Limits.add(D);
  if (!What.empty() && !Unchecked)
    return problemAt(Blocks.loc(), "a dictionary has a " + What);
  return Writer->write(D);
}

template <class B> llvm::Error Assembler::write(const B &Block) {
  if (llvm::Error E = writeDefinitions())
    return E;
  std::string What = Limits.check(Block);
  if (!What.empty() && !Unchecked)
    return problemAt(Blocks.loc(), "this block has a " + What);
  return Writer->write(Block);
}

llvm::Error Assembler::open() {
  const Header &H = Blocks.Header;
  if (!Unchecked &&
      (H.Container != ContainerVersion || H.Format < LowestFormatVersion ||
       H.Format > FormatVersion))
    return problemAt(Blocks.loc(), "this program writes container version " +
                                       Twine(ContainerVersion) +
                                       " and format version " +
                                       Twine(FormatVersion) + " only");
  auto W = TraceWriter::create(Out, H);
  if (!W)
    return W.takeError();
  Writer = std::move(*W);
  return llvm::Error::success();
}

llvm::Error Assembler::endBlock() {
  if (!Blocks.end())
    return problem();
  switch (Blocks.kind()) {
  case BlockKind::None:
    return llvm::Error::success();
  case BlockKind::Header:
    return open();
  case BlockKind::Index:
    Result.Complete = true;
    return Writer->finish();
  case BlockKind::Dictionary:
    return writeDefinitions();
  case BlockKind::Events:
    return write(Blocks.Events);
  case BlockKind::Marks:
    return write(Blocks.Marks);
  case BlockKind::Intervals:
    return write(Blocks.Intervals);
  case BlockKind::Lifetimes:
    return write(Blocks.Lifetimes);
  case BlockKind::Snapshot:
    return write(Blocks.Snapshot);
  case BlockKind::Summary:
    return write(Blocks.Summary);
  }
  return llvm::Error::success();
}

llvm::Error Assembler::beginBlock(BlockKind Kind, Line &L) {
  if (llvm::Error E = endBlock())
    return E;
  Blocks.close();
  bool IsHeader = Kind == BlockKind::Header;
  if (!Writer && !IsHeader)
    return problemAt(L.loc(), "a trace begins with a header");
  if (Writer && IsHeader && !Unchecked)
    return problemAt(L.loc(), "a trace has one header");
  if (Result.Complete && !IsHeader)
    return problemAt(L.loc(), "nothing may follow `complete`");
  Result.Complete = false;
  return Blocks.begin(Kind, L) ? llvm::Error::success() : problem();
}

/// `raw "bytes"`: for tests of what no writer makes.
llvm::Error Assembler::raw(Line &L) {
  if (!Unchecked)
    return problemAt(L.loc(), "`raw` needs --unchecked");
  if (L.Values.size() != 2 || L.Values[1].K != Value::String ||
      !L.Fields.empty())
    return problemAt(L.loc(), "expected `raw \"bytes\"`");
  return Out.write(L.Values[1].Text);
}

llvm::Error Assembler::line(Line &L) {
  const Value &First = L.Values[0];
  if (First.K != Value::Word)
    return problemAt(L.loc(), "a line begins with a word");
  if (First.Spelling == "raw") {
    // It stands between blocks.
    if (llvm::Error E = endBlock())
      return E;
    Blocks.close();
    return raw(L);
  }
  BlockKind Kind = BlockParser::startedBlock(L);
  if (Kind != BlockKind::None)
    return beginBlock(Kind, L);
  return Blocks.record(L) ? llvm::Error::success() : problem();
}

Expected<Assembled> Assembler::run() {
  StringRef Rest = Text.getBuffer();
  Line L;
  while (!Rest.empty()) {
    auto [This, After] = Rest.split('\n');
    Rest = After;
    if (!L.parse(This, Problem))
      return problem();
    if (L.Values.empty())
      continue;
    if (llvm::Error E = line(L))
      return std::move(E);
  }
  if (llvm::Error E = endBlock())
    return std::move(E);
  if (!Writer && !Unchecked)
    return problemAt(Text.getBufferEnd(), "a trace begins with a header");
  return Result;
}

Expected<Assembled> memkit::assemble(MemoryBufferRef Text, Sink &Out,
                                     const AssembleOptions &Options) {
  return Assembler(Text, Out, Options).run();
}
