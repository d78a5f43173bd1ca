// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recordings of heaptrack, raw and interpreted, of file versions 0 to 3.
//
// A recording is text, one record a line: a letter, then hexadecimal numbers.
//
//   v PROGRAM FILE          versions of heaptrack and of the file
//   X COMMAND   x EXE       the program
//   I SIZE PAGES            bytes of a page, pages of the machine
//   s TEXT                  the next string, from 1; from version 3 on with its
//                           length in front
//   i IP MODULE (FUNCTION FILE LINE)...
//                           the next address, from 1: the innermost inlined
//                           function comes first
//   t IP PARENT             the next stack, from 1; raw: IP is the address
//   a SIZE STACK            the next class of blocks, from 0
//   + CLASS   - CLASS       a block of the class; or, raw and in version 0,
//   + SIZE STACK ADDRESS   - ADDRESS
//   m NAME BIAS (OFFSET SIZE)...   raw: a loaded binary; `m -` drops all
//   c MS   R PAGES          the time, and the resident pages
//
// A free of a class names no block, so the last block of the class counts as
// freed.

#include "Import/Build/BlockTable.h"
#include "Import/Build/Formats.h"
#include "Import/Build/ModuleMap.h"
#include "Import/Source/TextCursor.h"
#include "llvm/ADT/StringExtras.h"
#include <deque>

using namespace llvm;
using namespace memkit;

bool memkit::isHeaptrack(StringRef First) {
  StringRef Line = First.split('\n').first;
  if (Line.consume_front("v ")) {
    TextCursor C(Line);
    C.hex();
    if (!C.atEnd())
      C.hex();
    return !C.failed() && C.atEnd();
  }
  // Version 0 has no line of versions.
  return Line.starts_with("X ") && First.contains("\nI ");
}

namespace {

class HeaptrackReader {
public:
  HeaptrackReader(ByteReader &In, TraceBuilder &To) : In(In), To(To) {}

  Error read() {
    while (std::optional<StringRef> Line = In.line(MaxLine)) {
      if (Line->size() < 2 || (*Line)[1] != ' ') {
        // Some letters stand alone.
        if (Line->empty() || *Line == "A" || (*Line)[0] == '#')
          continue;
        return fail("a record is a letter, a blank and numbers");
      }
      if (const char *Why = take((*Line)[0], Line->drop_front(2)))
        return fail(Why);
    }
    if (Error E = In.takeError())
      return E;
    return finish();
  }

private:
  static constexpr size_t MaxLine = size_t(16) << 20;

  Error fail(const Twine &Why) {
    return In.fail("line " + Twine(In.lineNumber()) + ": " + Why);
  }

  const char *take(char Letter, StringRef Rest) {
    TextCursor C(Rest);
    switch (Letter) {
    case '+':
      return allocate(C);
    case '-':
      return release(C);
    case 'a':
      return addClass(C);
    case 't':
      return addStack(C);
    case 'i':
      return addAddress(C);
    case 's':
      return addString(Rest);
    case 'c':
      return setTime(C);
    case 'R':
      return resident(C);
    case 'v':
      return version(C);
    case 'X':
      return command(Rest);
    case 'x':
      Exe = lengthFirst(Rest).str();
      return nullptr;
    case 'm':
      return module(Rest);
    case 'I':
      PageBytes = C.hex();
      To.Head.PageSize = uint32_t(PageBytes);
      return C.failed() || PageBytes > (1u << 30) ? "not a page size" : nullptr;
    default:
      // Suppressions, comments, and records of a newer heaptrack.
      return nullptr;
    }
  }

  const char *version(TextCursor C) {
    uint64_t Program = C.hex();
    FileVersion = C.atEnd() ? 0 : C.hex();
    if (C.failed())
      return "the versions are no numbers";
    if (FileVersion > 3)
      return "a file of a newer heaptrack: memimport reads file versions 0 "
             "to 3";
    To.Origin.Version = utostr(FileVersion);
    To.Head.Machine.push_back("heaptrack=" + utostr(Program >> 16) + "." +
                              utostr(Program >> 8 & 255) + "." +
                              utostr(Program & 255));
    return nullptr;
  }

  const char *command(StringRef Text) {
    To.Head.Command.clear();
    SmallVector<StringRef> Words;
    Text.split(Words, ' ', -1, false);
    for (StringRef Word : Words)
      To.Head.Command.push_back(Word.str());
    return nullptr;
  }

  /// The process, once the first record needs it: the command comes before.
  uint32_t process() {
    if (Process)
      return Process;
    ProcessRecord P;
    for (const std::string &Word : To.Head.Command)
      P.Command.push_back(To.string(Word));
    P.Exe = To.string(Exe.empty() && !To.Head.Command.empty()
                          ? To.Head.Command.front()
                          : Exe);
    Process = To.addProcess(P);
    Thread = To.addThread(Process, 0);
    Heap = To.heap("host.malloc");
    return Process;
  }

  /// A text with its length in front, as version 3 writes it.
  StringRef lengthFirst(StringRef Text) {
    if (FileVersion < 3)
      return Text;
    TextCursor C(Text);
    uint64_t Length = C.hex();
    return C.failed() || Length > C.rest().size() ? C.rest()
                                                  : C.rest().take_front(Length);
  }

  const char *addString(StringRef Text) {
    if (FileVersion >= 3) {
      TextCursor C(Text);
      uint64_t Length = C.hex();
      if (C.failed())
        return "a string has no length";
      if (Length > C.rest().size())
        return longString(Length, C.rest());
      Text = C.rest();
    }
    Texts.push_back(Text.take_front(ImportBounds::MaxName).str());
    return nullptr;
  }

  /// A string with line ends in it goes on in the next lines.
  const char *longString(uint64_t Length, StringRef Begin) {
    std::string Text = Begin.str();
    while (Text.size() < Length) {
      std::optional<StringRef> More = In.line(MaxLine);
      if (!More || Text.size() > MaxLine)
        return "a string is shorter than its length";
      Text += '\n';
      Text += *More;
    }
    Text.resize(std::min(Text.size(), ImportBounds::MaxName));
    Texts.push_back(std::move(Text));
    return nullptr;
  }

  /// The string of a number; an empty one for 0 and for numbers too large.
  StringRef text(uint64_t Number) {
    IsBadString |= Number > Texts.size();
    return Number && Number <= Texts.size() ? StringRef(Texts[Number - 1])
                                            : StringRef();
  }

  const char *addAddress(TextCursor C) {
    uint64_t Ip = C.hex();
    StringRef Module = C.atEnd() ? "" : text(C.hex());
    SmallVector<SourceLocation, 4> Locations;
    while (!C.atEnd() && Locations.size() != MaxInlined) {
      SourceLocation L;
      L.Function = text(C.hex()).str();
      // Without debug information a frame is the function alone.
      if (!C.atEnd())
        L.File = text(C.hex()).str();
      if (!C.atEnd())
        L.Line = uint32_t(C.hex());
      Locations.push_back(std::move(L));
    }
    if (C.failed() || IsBadString)
      return "the address refers to a string that is not there";
    Addresses.push_back(Module.empty()
                            ? To.unknownFrame(process(), Ip, Locations)
                            : To.nativeFrame(Module, {}, Ip, Locations));
    return nullptr;
  }

  const char *addStack(TextCursor C) {
    uint64_t Ip = C.hex(), Parent = C.hex();
    if (C.failed() || Parent > Nodes.size())
      return "the stack refers to a stack that is not there";
    uint32_t Frame;
    if (IsRaw) {
      Frame = Modules.frame(process(), Ip, To);
    } else {
      if (!Ip || Ip > Addresses.size())
        return "the stack refers to an address that is not there";
      Frame = Addresses[Ip - 1];
    }
    uint32_t Node = Parent ? Nodes[Parent - 1].Node : 0;
    Nodes.push_back(To.path(Node, Frame));
    return nullptr;
  }

  const char *module(StringRef Rest) {
    IsRaw = true;
    StringRef Name = Rest;
    if (FileVersion >= 3) {
      TextCursor C(Rest);
      uint64_t Length = C.hex();
      if (C.failed() || Length > C.rest().size())
        return "a module has no name";
      Name = C.rest().take_front(Length);
      Rest = C.rest().drop_front(Length).ltrim(' ');
    } else {
      std::tie(Name, Rest) = Rest.split(' ');
    }
    if (Name == "-") {
      Modules.clear();
      return nullptr;
    }
    // The program itself has no name.
    if (Name == "x")
      Name = Exe;
    TextCursor C(Rest);
    uint64_t Bias = C.hex();
    while (!C.atEnd() && !C.failed()) {
      uint64_t Offset = C.hex(), Size = C.hex();
      if (!C.failed())
        Modules.add(Name, Bias, Bias + Offset, Size);
    }
    return C.failed() ? "a module has no addresses" : nullptr;
  }

  const char *addClass(TextCursor C) {
    uint64_t Size = C.hex(), Stack = C.hex();
    if (C.failed() || Stack > Nodes.size())
      return "the blocks refer to a stack that is not there";
    Classes.push_back({Size, Stack ? Nodes[Stack - 1].Stack : 0, {}});
    return nullptr;
  }

  const char *allocate(TextCursor C) {
    uint64_t First = C.hex();
    ImportedBlock B;
    if (C.atEnd() && !C.failed()) {
      if (First >= Classes.size())
        return "the block refers to a class that is not there";
      BlockClass &Of = Classes[First];
      B.Size = Of.Size;
      B.Stack = Of.Stack;
      HasClasses = true;
      Of.Live.push_back(put(B));
      return ++ClassBlocks > In.bounds().blocks() ? tooMany() : nullptr;
    }
    uint64_t Stack = C.hex();
    B.Size = First;
    B.Address = C.hex();
    if (C.failed() || Stack > Nodes.size() || !BlockTable::takes(B.Address))
      return "the block has no stack or address";
    B.Stack = Stack ? Nodes[Stack - 1].Stack : 0;
    if (std::optional<BlockTable::Entry> Old = Live.take(B.Address)) {
      To.loss(process(), LossKind::DoubleAllocate);
      To.free(Process, Thread, NowNs, Old->Block);
    }
    Live.add(B.Address, {put(B), B.Size});
    return Live.size() > In.bounds().blocks() ? tooMany() : nullptr;
  }

  const char *tooMany() {
    Problem = In.bounds().tooManyBlocks();
    return Problem.c_str();
  }

  uint64_t put(ImportedBlock &B) {
    uint32_t In = process();
    B.Heap = Heap;
    return To.allocate(In, Thread, NowNs, B);
  }

  const char *release(TextCursor C) {
    uint64_t What = C.hex();
    if (C.failed())
      return "a free has no number";
    // Of version 0, and raw: the address.
    if (!HasClasses || What >= Classes.size()) {
      if (std::optional<BlockTable::Entry> Old = Live.take(What))
        To.free(process(), Thread, NowNs, Old->Block);
      else
        To.loss(process(), LossKind::UnknownFree);
      return nullptr;
    }
    std::vector<uint64_t> &Blocks = Classes[What].Live;
    if (Blocks.empty()) {
      To.loss(process(), LossKind::UnknownFree);
      return nullptr;
    }
    To.free(process(), Thread, NowNs, Blocks.back());
    Blocks.pop_back();
    --ClassBlocks;
    return nullptr;
  }

  const char *setTime(TextCursor C) {
    uint64_t Ms = C.hex();
    if (C.failed() || Ms > MaxMs)
      return "a time is no number of milliseconds";
    NowNs = std::max(NowNs, Ms * 1000000);
    return nullptr;
  }

  const char *resident(TextCursor C) {
    uint64_t Pages = C.hex();
    if (C.failed() || Pages > (uint64_t(1) << 40))
      return "the resident pages are no number";
    Mark M;
    M.Kind = MarkKind::Rss;
    M.Process = process();
    M.TimeNs = NowNs;
    M.Values = {Pages * PageBytes};
    To.mark(std::move(M));
    return nullptr;
  }

  Error finish() {
    To.endProcess(process(), NowNs);
    if (HasClasses)
      To.lacks(Lack::Lifetimes);
    To.lacks(Lack::ExactTimes);
    To.lacks(Lack::Threads);
    if (HasClasses)
      To.lacks(Lack::Addresses);
    if (IsRaw)
      Modules.report(To);
    return Error::success();
  }

  struct BlockClass {
    uint64_t Size;
    uint32_t Stack;
    std::vector<uint64_t> Live; ///< blocks, the newest last
  };
  static constexpr size_t MaxInlined = 255;
  static constexpr uint64_t MaxMs = uint64_t(1) << 43;

  ByteReader &In;
  TraceBuilder &To;
  uint64_t FileVersion = 0, PageBytes = 4096, NowNs = 0;
  std::string Exe;
  uint32_t Process = 0, Thread = 0, Heap = 0;
  std::deque<std::string> Texts;   ///< by number - 1
  std::vector<uint32_t> Addresses; ///< frames, by number - 1
  std::vector<Catalog::FramePath> Nodes;
  std::vector<BlockClass> Classes;
  uint64_t ClassBlocks = 0; ///< live ones of all classes
  BlockTable Live;          ///< of files without classes
  std::string Problem;      ///< the text of an error
  ModuleMap Modules;
  bool IsRaw = false, HasClasses = false, IsBadString = false;
};

} // namespace

Error memkit::readHeaptrack(const ImportFile &File, TraceBuilder &To,
                            const ProgressCallback &OnProgress) {
  Expected<ByteReader> In = ByteReader::open(File, OnProgress);
  if (!In)
    return In.takeError();
  To.Origin.Version = "0";
  return HeaptrackReader(*In, To).read();
}
