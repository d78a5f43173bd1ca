// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text form to trace.

#include "Assembler.h"
#include "SectionParser.h"
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
        Sections(Problem, Unchecked) {}

  Expected<Assembled> run();

private:
  llvm::Error line(Line &L);
  llvm::Error beginSection(SectionKind Kind, Line &L);
  llvm::Error raw(Line &L);
  llvm::Error endSection();
  llvm::Error writeDefinitions();
  template <class B> llvm::Error write(const B &Section);
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
  SectionParser Sections;
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
  if (Sections.Defs.empty() && Sections.kind() != SectionKind::Dictionary)
    return llvm::Error::success();
  Dictionary D = std::exchange(Sections.Defs.Pending, {});
  std::string What = Limits.add(D);
  if (!What.empty() && !Unchecked)
    return problemAt(Sections.loc(), "a dictionary has a " + What);
  return Writer->write(D);
}

template <class B> llvm::Error Assembler::write(const B &Section) {
  if (llvm::Error E = writeDefinitions())
    return E;
  std::string What = Limits.check(Section);
  if (!What.empty() && !Unchecked)
    return problemAt(Sections.loc(), "this section has a " + What);
  return Writer->write(Section);
}

llvm::Error Assembler::open() {
  const Header &H = Sections.Header;
  if (!Unchecked &&
      (H.Container != ContainerVersion || H.Format < LowestFormatVersion ||
       H.Format > FormatVersion))
    return problemAt(Sections.loc(), "this program writes container version " +
                                         Twine(ContainerVersion) +
                                         " and format version " +
                                         Twine(FormatVersion) + " only");
  auto W = TraceWriter::create(Out, H);
  if (!W)
    return W.takeError();
  Writer = std::move(*W);
  return llvm::Error::success();
}

llvm::Error Assembler::endSection() {
  if (!Sections.end())
    return problem();
  switch (Sections.kind()) {
  case SectionKind::None:
    return llvm::Error::success();
  case SectionKind::Header:
    return open();
  case SectionKind::Index:
    Result.Complete = true;
    return Writer->finish();
  case SectionKind::Dictionary:
    return writeDefinitions();
  case SectionKind::Events:
    return write(Sections.Events);
  case SectionKind::Marks:
    return write(Sections.Marks);
  case SectionKind::Intervals:
    return write(Sections.Intervals);
  case SectionKind::Lifetimes:
    return write(Sections.Lifetimes);
  case SectionKind::Snapshot:
    return write(Sections.Snapshot);
  case SectionKind::Summary:
    return write(Sections.Summary);
  case SectionKind::Partial:
    return write(Sections.Partial);
  case SectionKind::BlockCategories:
    return write(Sections.BlockCategories);
  case SectionKind::ScopeTimes:
    return write(Sections.ScopeTimes);
  case SectionKind::DeviceSpans:
    return write(Sections.DeviceSpans);
  }
  return llvm::Error::success();
}

llvm::Error Assembler::beginSection(SectionKind Kind, Line &L) {
  if (llvm::Error E = endSection())
    return E;
  Sections.close();
  bool IsHeader = Kind == SectionKind::Header;
  if (!Writer && !IsHeader)
    return problemAt(L.loc(), "a trace begins with a header");
  if (Writer && IsHeader && !Unchecked)
    return problemAt(L.loc(), "a trace has one header");
  if (Result.Complete && !IsHeader)
    return problemAt(L.loc(), "nothing may follow `complete`");
  Result.Complete = false;
  return Sections.begin(Kind, L) ? llvm::Error::success() : problem();
}

/// Writes `raw "bytes"`: lets tests contain bytes that no writer makes.
llvm::Error Assembler::raw(Line &L) {
  if (!Unchecked)
    return problemAt(L.loc(), "`raw` is for a text that is not checked");
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
    // Raw bytes go between sections.
    if (llvm::Error E = endSection())
      return E;
    Sections.close();
    return raw(L);
  }
  SectionKind Kind = SectionParser::startedSection(L);
  if (Kind != SectionKind::None)
    return beginSection(Kind, L);
  return Sections.record(L) ? llvm::Error::success() : problem();
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
  if (llvm::Error E = endSection())
    return std::move(E);
  if (!Writer && !Unchecked)
    return problemAt(Text.getBufferEnd(), "a trace begins with a header");
  return Result;
}

Expected<Assembled> memkit::assemble(MemoryBufferRef Text, Sink &Out,
                                     const AssembleOptions &Options) {
  return Assembler(Text, Out, Options).run();
}
