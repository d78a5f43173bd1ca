// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heap profiles as text: of jemalloc (`heap_v2/RATE`), and of gperftools and
// tcmalloc (`heap profile: ... @ KIND/RATE`), which older versions of Go write,
// too.
//
// Both have the live blocks by stack, the stacks as addresses, and at the end
// the mapped binaries, as in /proc/PID/maps. jemalloc has the sums of all
// threads (`t*:`) and of each thread.

#include "Import/Build/Formats.h"
#include "Import/Build/ModuleMap.h"
#include "Import/Build/SumHeap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

bool memkit::isJemalloc(StringRef First) {
  return First.starts_with("heap_v2/");
}
bool memkit::isGperftools(StringRef First) {
  return First.starts_with("heap profile:");
}

namespace {

/// A function in a stack that the profile itself names. Functions with one
/// address were inlined into one another.
struct TextFrame {
  uint64_t Address;
  SourceLocation Where;
};

/// Live blocks and bytes of a stack, the innermost frame first.
struct TextSum {
  uint64_t Count = 0, Bytes = 0;
  std::vector<uint64_t> Addresses;
  std::vector<TextFrame> Named; ///< the same stack, if the profile has names
};

class TextHeapReader {
public:
  TextHeapReader(ByteReader &In, TraceBuilder &To) : In(In), To(To) {}
  virtual ~TextHeapReader() = default;

  Error read() {
    if (Error E = readSums())
      return E;
    if (Error E = readMaps())
      return E;
    return write();
  }

protected:
  static constexpr size_t MaxLine = size_t(1) << 20;
  static constexpr size_t MaxDepth = 4096;

  /// Fills Sums, Rate and HeapName, up to the line before the binaries.
  virtual Error readSums() = 0;

  Error fail(const Twine &Why) {
    return In.fail("line " + Twine(In.lineNumber()) + ": " + Why);
  }

  /// Addresses separated by blanks.
  Error readAddresses(StringRef Text, std::vector<uint64_t> &To) {
    To.clear();
    while (true) {
      Text = Text.ltrim(' ');
      if (Text.empty() || To.size() == MaxDepth)
        return Error::success();
      auto [Word, Rest] = Text.split(' ');
      uint64_t Address;
      if (!Word.consume_front("0x") || Word.getAsInteger(16, Address))
        return fail("a stack is a list of addresses");
      To.push_back(Address);
      Text = Rest;
    }
  }

  /// `COUNT: BYTES [...]`.
  static bool readPair(StringRef Text, uint64_t &Count, uint64_t &Bytes) {
    Text = Text.ltrim(' ');
    if (Text.consumeInteger(10, Count) || !Text.consume_front(":"))
      return false;
    Text = Text.ltrim(' ');
    return !Text.consumeInteger(10, Bytes);
  }

  ByteReader &In;
  TraceBuilder &To;
  uint64_t Rate = 0;
  StringRef HeapName = "host.malloc";
  std::vector<TextSum> Sums;

private:
  /// Lines of /proc/PID/maps, of their own short form, and assignments of
  /// variables (`source=/home`).
  Error readMaps() {
    std::vector<std::pair<std::string, std::string>> Variables;
    while (std::optional<StringRef> Line = In.line(MaxLine)) {
      StringRef Text = Line->trim();
      if (Text.empty())
        continue;
      if (auto [Name, Value] = Text.split('=');
          !Value.empty() && !Name.contains(' ') && Variables.size() < 64) {
        Variables.push_back({("$" + Name).str(), Value.str()});
        continue;
      }
      addMap(Text, Variables);
    }
    return In.takeError();
  }

  void addMap(StringRef Text,
              ArrayRef<std::pair<std::string, std::string>> Variables) {
    uint64_t Begin, End, Offset = 0;
    if (Text.consumeInteger(16, Begin) || !Text.consume_front("-") ||
        Text.consumeInteger(16, End) || End <= Begin)
      return;
    StringRef Path;
    if (Text.consume_front(":")) {
      Path = Text.trim();
    } else {
      SmallVector<StringRef, 8> Words;
      Text.ltrim(' ').split(Words, ' ', -1, false);
      // Rights, offset, device, inode, path, which may have blanks.
      if (Words.size() < 5 || Words[1].getAsInteger(16, Offset))
        return;
      Path = StringRef(Words[4].data(), size_t(Text.end() - Words[4].data()))
                 .rtrim();
    }
    std::string Full = Path.str();
    for (const auto &[Name, Value] : Variables)
      if (Path.starts_with(Name))
        Full = Value + Path.drop_front(Name.size()).str();
    if (Full.empty() || Full[0] == '[')
      return;
    Maps.add(Full, Begin - Offset, Begin, End - Begin);
  }

  Error write() {
    SumHeap Heap(To, Rate);
    uint32_t Id = Heap.heap(HeapName);
    std::vector<uint32_t> Frames;
    for (const TextSum &S : Sums) {
      Frames.clear();
      addNamed(S.Named, Frames);
      if (S.Named.empty())
        for (uint64_t Address : S.Addresses)
          Frames.push_back(Maps.frame(Heap.process(), Address, To));
      std::reverse(Frames.begin(), Frames.end());
      if (!Heap.add(Id, To.stack(Frames), S.Count, S.Bytes))
        return In.fail("the sums of live blocks are above 2^56");
    }
    Maps.report(To);
    return Error::success();
  }

  void addNamed(ArrayRef<TextFrame> Named, std::vector<uint32_t> &Frames) {
    // The profile has names, and not the binary.
    constexpr StringRef UnnamedBinary = "program";
    constexpr size_t MaxInlined = 255;
    while (!Named.empty()) {
      uint64_t Address = Named.front().Address;
      SmallVector<SourceLocation, 4> Inlined;
      while (!Named.empty() && Named.front().Address == Address &&
             Inlined.size() != MaxInlined) {
        Inlined.push_back(Named.front().Where);
        Named = Named.drop_front();
      }
      Frames.push_back(To.nativeFrame(UnnamedBinary, {}, Address, Inlined));
    }
  }

  ModuleMap Maps;
};

class JemallocReader : public TextHeapReader {
public:
  using TextHeapReader::TextHeapReader;

protected:
  Error readSums() override {
    std::optional<StringRef> First = In.line(MaxLine);
    if (!First || !First->consume_front("heap_v2/") ||
        First->getAsInteger(10, Rate))
      return In.takeErrorOr("the first line is not heap_v2/RATE");
    TextSum S;
    bool HasStack = false;
    while (std::optional<StringRef> Line = In.line(MaxLine)) {
      StringRef Text = Line->trim(' ');
      if (Text.starts_with("MAPPED_LIBRARIES:"))
        break;
      if (Text.consume_front("@")) {
        if (Error E = readAddresses(Text, S.Addresses))
          return E;
        HasStack = true;
      } else if (Text.consume_front("t*:") && HasStack) {
        if (!readPair(Text, S.Count, S.Bytes))
          return fail("sums are COUNT: BYTES");
        Sums.push_back(std::move(S));
        S = TextSum();
        HasStack = false;
      }
    }
    return In.takeError();
  }
};

class GperftoolsReader : public TextHeapReader {
public:
  using TextHeapReader::TextHeapReader;

protected:
  Error readSums() override {
    std::optional<StringRef> First = In.line(MaxLine);
    if (!First || !readKind(*First))
      return In.takeErrorOr("the first line names no kind of heap profile "
                            "that memimport knows");
    bool HasSum = false;
    while (std::optional<StringRef> Line = In.line(MaxLine)) {
      StringRef Text = Line->trim(' ');
      if (Text.starts_with("MAPPED_LIBRARIES:") ||
          Text.starts_with("--- Memory map"))
        break;
      if (HasSum && Text.starts_with("#\t0x"))
        addName(Text, Sums.back());
      // Other comments of Go: runtime.MemStats.
      if (Text.empty() || Text[0] == '#')
        continue;
      auto [Numbers, Stack] = Text.split('@');
      TextSum S;
      if (Numbers.size() == Text.size() || !readPair(Numbers, S.Count, S.Bytes))
        return fail("a line is COUNT: BYTES [COUNT: BYTES] @ ADDRESSES");
      if (Error E = readAddresses(Stack, S.Addresses))
        return E;
      HasSum = S.Count != 0;
      if (HasSum)
        Sums.push_back(std::move(S));
    }
    return In.takeError();
  }

private:
  /// `#  0xADDRESS  FUNCTION+0xOFFSET  FILE:LINE` of Go, with tabs: a line for
  /// each function of the stack before, inlined ones too.
  static void addName(StringRef Text, TextSum &S) {
    SmallVector<StringRef, 8> Words;
    Text.split(Words, '\t', -1, false);
    TextFrame F;
    if (Words.size() < 4 || S.Named.size() == MaxDepth ||
        !Words[1].consume_front("0x") || Words[1].getAsInteger(16, F.Address))
      return;
    F.Where.Function = Words[2].rsplit("+0x").first.str();
    auto [File, Line] = Words[3].rsplit(':');
    F.Where.File = File.str();
    if (Line.getAsInteger(10, F.Where.Line))
      F.Where.Line = 0;
    S.Named.push_back(std::move(F));
  }

  /// `... @ heapprofile`, `heapz_v2/RATE`, `heap_v2/RATE`, or of Go
  /// `heap/RATE`, where RATE is twice the mean distance of samples.
  bool readKind(StringRef First) {
    auto [Kind, Number] = First.rsplit('@').second.trim().split('/');
    if (Number.empty())
      return Kind == "heapprofile" || Kind == "growth" || Kind == "growthz" ||
             Kind == "heap";
    if (Number.getAsInteger(10, Rate))
      return false;
    if (Kind == "heap") {
      Rate /= 2;
      HeapName = "go.heap";
      return true;
    }
    return Kind == "heapz_v2" || Kind == "heap_v2" || Kind == "heapprofile";
  }
};

} // namespace

Error memkit::readJemalloc(const ImportFile &File, TraceBuilder &To,
                           const ProgressCallback &OnProgress) {
  Expected<ByteReader> In = ByteReader::open(File, OnProgress);
  return In ? JemallocReader(*In, To).read() : In.takeError();
}

Error memkit::readGperftools(const ImportFile &File, TraceBuilder &To,
                             const ProgressCallback &OnProgress) {
  Expected<ByteReader> In = ByteReader::open(File, OnProgress);
  return In ? GperftoolsReader(*In, To).read() : In.takeError();
}
