// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads lines of the program's source files.

#include "Stacks/SourceFiles.h"
#include "Shared/ProcFs.h"
#include "Support/SecretText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace memkit;

//===----------------------------------------------------------------------===//
// Names and texts
//===----------------------------------------------------------------------===//

bool memkit::mayHaveSource(StringRef Path) {
  static constexpr StringLiteral Suffixes[] = {
      ".py",  ".pyx", ".c",   ".cc",  ".cpp", ".cxx", ".c++",  ".h",
      ".hh",  ".hpp", ".hxx", ".inc", ".ipp", ".tpp", ".cu",   ".cuh",
      ".hip", ".rs",  ".go",  ".f",   ".f90", ".F90", ".d",    ".zig",
      ".nim", ".jl",  ".lua", ".rb",  ".js",  ".ts",  ".mm",   ".m",
      ".cs",  ".kt",  ".ml",  ".hs",  ".pas", ".adb", ".swift"};
  static constexpr StringLiteral Systems[] = {"/usr/",   "/lib/", "/lib32/",
                                              "/lib64/", "/nix/", "/snap/",
                                              "/proc/",  "/sys/", "/dev/"};
  static constexpr StringLiteral Installed[] = {
      "/site-packages/", "/dist-packages/", "/lib/python2.", "/lib/python3."};
  return Path.starts_with("/") &&
         any_of(Suffixes, [&](StringRef S) { return Path.ends_with(S); }) &&
         none_of(Systems, [&](StringRef S) { return Path.starts_with(S); }) &&
         none_of(Installed, [&](StringRef S) { return Path.contains(S); });
}

std::string memkit::keptSource(StringRef Line, bool KeepsIndent) {
  constexpr size_t Max = 200;
  Line = Line.rtrim();
  if (!KeepsIndent)
    Line = Line.ltrim();
  auto IsControl = [](char C) {
    return static_cast<unsigned char>(C) < 0x20 && C != '\t';
  };
  if (Line.empty() || !json::isUTF8(Line) || any_of(Line, IsControl) ||
      looksSecret(Line))
    return "";
  if (Line.size() <= Max)
    return Line.str();
  size_t End = Max - 3;
  while (End && (static_cast<uint8_t>(Line[End]) & 0xC0) == 0x80)
    --End;
  return Line.take_front(End).str() + "...";
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

SourceRoot::SourceRoot(pid_t Pid, uint64_t StartNs)
    : Root(-1), StartNs(StartNs) {
  if (!procfs::seesOurFiles(Pid))
    Root = ::open(("/proc/" + std::to_string(Pid) + "/root").c_str(),
                  O_PATH | O_DIRECTORY | O_CLOEXEC);
}

SourceRoot::SourceRoot(SourceRoot &&Other)
    : Root(std::exchange(Other.Root, -1)), StartNs(Other.StartNs) {}

SourceRoot::~SourceRoot() {
  if (Root >= 0)
    close(Root);
}

int SourceRoot::open(const char *Path) const {
  constexpr int Flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  if (Root < 0)
    return ::open(Path, Flags);
  // Links of the process's files must not lead to the recorder's.
  open_how How = {};
  How.flags = Flags;
  How.resolve = RESOLVE_IN_ROOT;
  return static_cast<int>(syscall(SYS_openat2, Root, Path, &How, sizeof How));
}

static uint64_t changedNs(const struct stat &S) {
  auto Ns = [](const timespec &T) {
    return uint64_t(T.tv_sec) * 1000000000 + uint64_t(T.tv_nsec);
  };
  return std::max(Ns(S.st_mtim), Ns(S.st_ctim));
}

std::optional<std::string> SourceRoot::read(const std::string &Path) const {
  int Fd = open(Path.c_str());
  if (Fd < 0)
    return std::nullopt;
  struct stat Info;
  bool IsGood = fstat(Fd, &Info) == 0 && S_ISREG(Info.st_mode) &&
                uint64_t(Info.st_size) <= SourceFiles::MaxFileBytes &&
                changedNs(Info) <= StartNs;
  std::string Bytes(IsGood ? size_t(Info.st_size) : 0, 0);
  size_t Got = 0;
  while (IsGood && Got < Bytes.size()) {
    ssize_t N = ::read(Fd, Bytes.data() + Got, Bytes.size() - Got);
    IsGood = N > 0;
    Got += IsGood ? size_t(N) : 0;
  }
  close(Fd);
  if (!IsGood)
    return std::nullopt;
  return Bytes;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

void SourceFiles::addProcess(uint32_t Process, SourceRoot Root) {
  Roots.try_emplace(Process, std::move(Root));
}

/// Reads a file, or finds it among the last read files. A file that cannot be
/// read is kept as an empty file.
const SourceFiles::OpenFile *SourceFiles::file(uint32_t Process,
                                               StringRef Path) {
  for (const OpenFile &F : Files)
    if (F.Process == Process && F.Path == Path)
      return &F;
  auto Root = Roots.find(Process);
  if (Root == Roots.end())
    return nullptr;
  constexpr size_t MaxFiles = 16;
  if (Files.size() == MaxFiles)
    Files.pop_front();
  OpenFile &F = Files.emplace_back();
  F.Process = Process;
  F.Path = Path.str();
  F.Bytes = Root->second.read(F.Path).value_or("");
  for (size_t At = 0; At < F.Bytes.size();) {
    F.Starts.push_back(uint32_t(At));
    size_t End = F.Bytes.find('\n', At);
    At = End == std::string::npos ? F.Bytes.size() : End + 1;
  }
  return &F;
}

/// Blanks in front of a line.
static size_t indentOf(StringRef Line) {
  return Line.size() - Line.ltrim(" \t").size();
}

/// Whether a function may begin with the line, which stands further out than a
/// line in it.
static bool mayBegin(StringRef Line) {
  StringRef Text = Line.ltrim();
  bool IsDef = Text.starts_with("def ") || Text.starts_with("async def ");
  return IsDef || (!indentOf(Line) && !Text.starts_with("}") &&
                   !Text.starts_with("#") && !Text.starts_with("/"));
}

StringRef SourceFiles::OpenFile::line(uint32_t Number) const {
  StringRef Rest = StringRef(Bytes).drop_front(Starts[Number - 1]);
  return Rest.take_front(Rest.find('\n')).rtrim("\r");
}

/// By the indentation, which most programs have; a line outside of functions is
/// alone.
std::pair<uint32_t, uint32_t> SourceFiles::functionAround(const OpenFile &F,
                                                          uint32_t Line) {
  size_t Inside = indentOf(F.line(Line));
  uint32_t First = Line, Last = Line;
  if (!Inside)
    return {Line, Line};
  size_t Header = Inside - 1; // where the function begins further up
  while (First > 1 && Line - First < MaxContext) {
    --First;
    StringRef Text = F.line(First);
    if (!Text.trim().empty() && indentOf(Text) < Inside && mayBegin(Text)) {
      Header = indentOf(Text);
      break;
    }
  }
  while (Last < F.Starts.size() && Last - Line < MaxContext) {
    StringRef Text = F.line(Last + 1);
    bool IsEnd = !Text.trim().empty() && indentOf(Text) <= Header;
    if (IsEnd && !Text.ltrim().starts_with("}"))
      break;
    ++Last;
    if (IsEnd)
      break;
  }
  while (Last > Line && F.line(Last).trim().empty())
    --Last;
  return {First, Last};
}

std::vector<SourceFiles::KeptLine>
SourceFiles::take(uint32_t Process, StringRef Path, uint32_t Line) {
  std::vector<KeptLine> Out;
  auto IsNew = [&](uint32_t At) {
    return Asked.insert((Path + ":" + Twine(At)).str()).second;
  };
  if (!Line || Lines >= MaxLines || Bytes >= MaxBytes || !mayHaveSource(Path) ||
      !IsNew(Line))
    return Out;
  const OpenFile *F = file(Process, Path);
  if (!F || Line > F->Starts.size())
    return Out;
  auto Add = [&](uint32_t At) {
    std::string Text = keptSource(F->line(At), Functions);
    if (Text.empty())
      return;
    ++Lines;
    Bytes += Text.size();
    Out.push_back({At, std::move(Text)});
  };
  Add(Line);
  if (!Functions)
    return Out;
  auto [First, Last] = functionAround(*F, Line);
  for (uint32_t At = First; At <= Last; ++At)
    if (Lines < MaxLines && Bytes < MaxBytes && IsNew(At))
      Add(At);
  return Out;
}
