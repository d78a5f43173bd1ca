// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports of LeakSanitizer, alone or in a log of AddressSanitizer.
//
// A report has, for each stack of leaked blocks, a line with their sums and
// then a line for each function, the innermost one first:
//
//   Direct leak of BYTES byte(s) in COUNT object(s) allocated from:
//       #0 0xPC in FUNCTION FILE:LINE:COLUMN
//       #1 0xPC in FUNCTION (BINARY+0xOFFSET) (BuildId: HEX)
//
// Functions with one address were inlined into one another. A program may ask
// for reports while it runs: the last report of a process has all of its leaks.

#include "Import/Build/Formats.h"
#include "Import/Build/SumHeap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

static constexpr StringRef LeakOf = " leak of ";

bool memkit::isLsan(StringRef First) {
  return First.contains("ERROR: LeakSanitizer:") ||
         (First.contains("Sanitizer") && First.contains("byte(s) leaked")) ||
         First.contains(" byte(s) in ");
}

namespace {

class LsanReader {
public:
  LsanReader(ByteReader &In, TraceBuilder &To) : In(In), To(To), Sums(To, 0) {
    Direct = Sums.heap("host.malloc");
  }

  Error read() {
    while (std::optional<StringRef> Line = In.line(MaxLine)) {
      StringRef Text = Line->trim();
      const char *Why = nullptr;
      if (isLeak(Text))
        Why = leak(Text);
      else if (Text.contains("ERROR: LeakSanitizer: detected memory leaks"))
        beginReport(Text);
      else if (IsInLeak && Text.consume_front("#"))
        Why = frame(Text);
      else if (Text.empty() || IsInLeak)
        endLeak();
      else if (Text.consume_front("Command: "))
        To.Head.Command = {Text.str()};
      if (Why)
        return In.fail("line " + Twine(In.lineNumber()) + ": " + Why);
    }
    if (Error E = In.takeError())
      return E;
    endLeak();
    if (!Leaks)
      return In.fail("the log has no report of leaks", 0);
    for (const auto &[Pid, Report] : Reports)
      for (const LeakSum &L : Report)
        if (!Sums.add(Direct, L.Stack, L.Count, L.Bytes))
          return In.fail("the sums of leaked blocks are above 2^56");
    To.lacks(Lack::Others);
    return Error::success();
  }

private:
  static constexpr size_t MaxLine = size_t(1) << 20;
  static constexpr size_t MaxDepth = 4096;
  /// A line with a source file names no binary.
  static constexpr StringRef UnnamedBinary = "program";

  static bool isLeak(StringRef Text) {
    return (Text.starts_with("Direct") || Text.starts_with("Indirect")) &&
           Text.contains(LeakOf);
  }

  /// `==PID==ERROR: ...`.
  void beginReport(StringRef Text) {
    endLeak();
    if (!Text.consume_front("==") || Text.consumeInteger(10, Pid))
      Pid = 0;
    Reports[Pid].clear();
  }

  const char *leak(StringRef Text) {
    endLeak();
    Text = Text.split(LeakOf).second;
    if (Text.consumeInteger(10, Bytes) || !Text.consume_front(" byte(s) in ") ||
        Text.consumeInteger(10, Count))
      return "a leak is BYTES byte(s) in COUNT object(s)";
    IsInLeak = true;
    return nullptr;
  }

  /// `0 0xPC in FUNCTION WHERE (BuildId: HEX)`, after the `#`.
  const char *frame(StringRef Text) {
    unsigned Number;
    uint64_t Pc;
    if (Text.consumeInteger(10, Number) || !Text.consume_front(" 0x") ||
        Text.consumeInteger(16, Pc))
      return "a frame is #NUMBER 0xADDRESS in FUNCTION";
    Text.consume_front(" ");
    SourceLocation Where;
    std::string Binary, BuildId;
    uint64_t Offset = 0;
    takeBuildId(Text, BuildId);
    bool HasBinary = takeBinary(Text, Binary, Offset);
    if (Text.consume_front("in "))
      nameOf(Text.trim(), Where);
    if (Pc != LastPc)
      endFrame();
    LastPc = Pc;
    if (HasBinary) {
      LastBinary = Binary;
      LastBuildId = BuildId;
      LastOffset = Offset;
    }
    if (!Where.Function.empty() && Locations.size() < 255)
      Locations.push_back(std::move(Where));
    HasFrame = true;
    return nullptr;
  }

  static void takeBuildId(StringRef &Text, std::string &BuildId) {
    size_t At = Text.rfind(" (BuildId: ");
    if (At == StringRef::npos || !Text.ends_with(")"))
      return;
    StringRef Hex = Text.drop_front(At).drop_front(11).drop_back();
    if (Hex.size() > 128 || !tryGetFromHex(Hex, BuildId))
      BuildId.clear();
    Text = Text.take_front(At);
  }

  static bool takeBinary(StringRef &Text, std::string &Binary,
                         uint64_t &Offset) {
    size_t Begin = Text.rfind('(');
    if (!Text.ends_with(")") || Begin == StringRef::npos)
      return false;
    auto [Path, Number] = Text.drop_front(Begin + 1).drop_back().rsplit("+0x");
    if (Number.empty() || Number.getAsInteger(16, Offset))
      return false;
    Binary = Path.str();
    Text = Text.take_front(Begin).rtrim();
    return true;
  }

  /// `FUNCTION FILE:LINE:COLUMN`; a function may have blanks in its name.
  static void nameOf(StringRef Text, SourceLocation &Where) {
    size_t At = Text.rfind(" /");
    if (At == StringRef::npos)
      At = Text.rfind(' ');
    StringRef Place = At == StringRef::npos ? "" : Text.drop_front(At + 1);
    if (!Place.contains(':')) {
      Where.Function = Text.str();
      return;
    }
    Where.Function = Text.take_front(At).str();
    SmallVector<StringRef, 3> Parts;
    Place.split(Parts, ':');
    Where.File = Parts[0].str();
    if (Parts.size() > 1 && Parts[1].getAsInteger(10, Where.Line))
      Where.Line = 0;
  }

  void endFrame() {
    if (std::exchange(HasFrame, false) && Frames.size() != MaxDepth)
      Frames.push_back(
          LastBinary.empty()
              ? To.nativeFrame(UnnamedBinary, {}, LastPc, Locations)
              : To.nativeFrame(LastBinary, arrayRefFromStringRef(LastBuildId),
                               LastOffset, Locations));
    Locations.clear();
    LastBinary.clear();
  }

  void endLeak() {
    endFrame();
    if (!std::exchange(IsInLeak, false))
      return;
    std::reverse(Frames.begin(), Frames.end());
    uint32_t Stack = To.stack(Frames);
    Frames.clear();
    LastPc = ~uint64_t(0);
    ++Leaks;
    Reports[Pid].push_back({Stack, Count, Bytes});
  }

  struct LeakSum {
    uint32_t Stack;
    uint64_t Count, Bytes;
  };

  ByteReader &In;
  TraceBuilder &To;
  SumHeap Sums;
  uint32_t Direct = 0;
  bool IsInLeak = false, HasFrame = false;
  uint64_t Bytes = 0, Count = 0, Leaks = 0, Pid = 0;
  MapVector<uint64_t, std::vector<LeakSum>> Reports; ///< by process
  uint64_t LastPc = ~uint64_t(0), LastOffset = 0;
  std::string LastBinary, LastBuildId;
  std::vector<SourceLocation> Locations; ///< of LastPc, innermost first
  std::vector<uint32_t> Frames;          ///< innermost first
};

} // namespace

Error memkit::readLsan(const ImportFile &File, TraceBuilder &To,
                       const ProgressCallback &OnProgress) {
  Expected<ByteReader> In = ByteReader::open(File, OnProgress);
  return In ? LsanReader(*In, To).read() : In.takeError();
}
