// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files with the symbols of a binary.

#include "SymbolFiles.h"
#include "DebugServers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <sys/stat.h>

using namespace llvm;
using namespace memkit;

/// The folder of debug files of this machine.
static constexpr StringLiteral HostDebugDir = "/usr/lib/debug";

/// Path as an absolute path without `..`, which could lead out of a sysroot.
/// Empty if Path is none.
static StringRef safePath(StringRef Path) {
  Path.consume_back(" (deleted)");
  if (!Path.starts_with("/") || Path.contains('\0'))
    return "";
  for (StringRef Part : split(Path, '/'))
    if (Part == "..")
      return "";
  return Path;
}

/// `/.build-id/1f/2e3d`, without a suffix; empty for a build-id of a byte.
static std::string buildIdPath(ArrayRef<uint8_t> BuildId) {
  if (BuildId.size() < 2)
    return "";
  return "/.build-id/" + hexOf(BuildId.take_front(1)) + "/" +
         hexOf(BuildId.drop_front(1));
}

/// The CRC of a file's bytes as .gnu_debuglink has it.
static Expected<uint32_t> crcOf(StringRef Path) {
  Expected<OpenedFile> File = OpenedFile::open(Path);
  if (!File)
    return File.takeError();
  std::vector<uint8_t> Piece(1 << 20);
  uint32_t Crc = 0;
  for (uint64_t At = 0; At != File->bytes();) {
    uint64_t Size = std::min<uint64_t>(Piece.size(), File->bytes() - At);
    if (Error E = File->read(At, Size, Piece.data()))
      return std::move(E);
    Crc = crc32(Crc, ArrayRef(Piece).take_front(Size));
    At += Size;
  }
  return Crc;
}

//===----------------------------------------------------------------------===//
// One search
//===----------------------------------------------------------------------===//

class SymbolFinder::Search {
public:
  Search(const SymbolPlaces &Places, StringRef Path, ArrayRef<uint8_t> BuildId)
      : Places(Places), Path(safePath(Path)), Name(sys::path::filename(Path)),
        BuildId(BuildId.vec()) {}

  SymbolFiles run();
  SymbolFiles runOn(const std::string &File);

private:
  bool complete() const { return !Files.Debug.empty() && Files.HasFullTable; }
  void tryDebugDir(StringRef Dir, bool ByName);
  void tryBuildIds(StringRef Dir);
  void trySysroot(StringRef Dir);
  void tryServers();
  void tryFile(const Twine &File);
  void tryLink(const std::string &From, const ElfOutline &Of);
  void tryLinked(const Twine &File, const ElfOutline &Of);
  void take(const std::string &File, const ElfOutline &Outline);
  void takeAlt(const std::string &From, const ElfOutline &Of);
  bool isAlt(const Twine &File, ArrayRef<uint8_t> Id);
  void pass(StringRef File, const Twine &Problem, bool IsMissing = false);
  /// Reads the outline of a file not tried before; nothing if there is none.
  std::optional<ElfOutline> outlineOf(const std::string &File);

  const SymbolPlaces &Places;
  StringRef Path; ///< absolute, or empty
  StringRef Name; ///< the last part of the recorded path
  std::vector<uint8_t> BuildId;
  SymbolFiles Files;
  StringSet<> Tried;
};

void SymbolFinder::Search::pass(StringRef File, const Twine &Problem,
                                bool IsMissing) {
  Files.Passed.push_back({File.str(), Problem.str(), IsMissing});
}

std::optional<ElfOutline>
SymbolFinder::Search::outlineOf(const std::string &File) {
  if (!Tried.insert(File).second)
    return std::nullopt;
  Expected<ElfOutline> Outline = readElfOutline(File);
  if (Outline)
    return std::move(*Outline);
  std::string Problem = toString(Outline.takeError());
  struct stat Info;
  bool IsMissing =
      stat(File.c_str(), &Info) != 0 && (errno == ENOENT || errno == ENOTDIR);
  pass(File, Problem, IsMissing);
  return std::nullopt;
}

/// Whether File is the file of build-id Id that debug files share.
bool SymbolFinder::Search::isAlt(const Twine &File, ArrayRef<uint8_t> Id) {
  std::string Candidate = File.str();
  Expected<ElfOutline> Outline = readElfOutline(Candidate);
  if (!Outline) {
    consumeError(Outline.takeError());
    return false;
  }
  if (Outline->BuildId != Id.vec() || !Outline->hasDebugInfo())
    return false;
  Files.Alt = std::move(Candidate);
  return true;
}

/// Finds the file that the debug file From shares with others.
void SymbolFinder::Search::takeAlt(const std::string &From,
                                   const ElfOutline &Of) {
  StringRef Link = Of.AltLink;
  if (Link.empty())
    return;
  ArrayRef<uint8_t> Id = Of.AltBuildId;
  std::vector<std::string> Dirs = Places.DebugDirs;
  for (const auto *Roots : {&Places.DebugDirs, &Places.Sysroots})
    for (const std::string &Root : *Roots)
      Dirs.push_back(Root + HostDebugDir.str());
  Dirs.push_back(HostDebugDir.str());
  if (Link.starts_with("/")
          ? isAlt(Link, Id)
          : isAlt(sys::path::parent_path(From) + "/" + Link, Id))
    return;
  // `/usr/lib/debug/.dwz/x86_64-linux-gnu/a.debug`, absolute or relative.
  size_t Dwz = Link.rfind("/.dwz/");
  for (StringRef Dir : Dirs) {
    std::string ById = buildIdPath(Id);
    if ((!ById.empty() && isAlt(Dir + ById + ".debug", Id)) ||
        (Dwz != StringRef::npos && isAlt(Dir + Link.drop_front(Dwz), Id)) ||
        isAlt(Dir + "/" + sys::path::filename(Link), Id))
      return;
  }
  for (const std::string &Sysroot : Places.Sysroots)
    if (StringRef Inside = safePath(Link);
        !Inside.empty() && isAlt(Sysroot + Inside, Id))
      return;
  if (Places.Servers)
    if (std::string File =
            Places.Servers->find(DebugServers::FileKind::DebugInfo, Id);
        !File.empty() && isAlt(File, Id))
      return;
  Files.AltProblem = From + " needs " + Link.str() + " with build-id " +
                     hexOf(Id) + ", which was not found";
}

/// Takes from a file of the binary what no file before had.
void SymbolFinder::Search::take(const std::string &File,
                                const ElfOutline &Outline) {
  bool IsNew = false;
  if (Files.First.empty())
    Files.First = File;
  if (Files.Debug.empty() && Outline.hasDebugInfo()) {
    Files.Debug = File;
    takeAlt(File, Outline);
    IsNew = true;
  }
  bool IsFull = Outline.hasSymbols();
  if ((IsFull && !Files.HasFullTable) ||
      (Files.Symbols.empty() && Outline.hasDynamicSymbols())) {
    Files.Symbols = File;
    Files.HasFullTable = IsFull;
    IsNew = true;
  }
  if (!IsNew)
    pass(File, Files.empty() ? "has neither debug information nor symbols"
                             : "has no more than the files before");
}

/// Takes File if it is the debug file that Of names: of the same build-id, or
/// with the CRC that Of names.
void SymbolFinder::Search::tryLinked(const Twine &File, const ElfOutline &Of) {
  std::string Candidate = File.str();
  std::optional<ElfOutline> Outline = outlineOf(Candidate);
  if (!Outline)
    return;
  if (!BuildId.empty() && !Outline->BuildId.empty()) {
    if (Outline->BuildId != BuildId)
      return pass(Candidate, "has build-id " + hexOf(Outline->BuildId));
    return take(Candidate, *Outline);
  }
  Expected<uint32_t> Crc = crcOf(Candidate);
  if (!Crc)
    return pass(Candidate, toString(Crc.takeError()));
  if (*Crc != Of.DebugLinkCrc)
    return pass(Candidate, "has CRC " + utohexstr(*Crc, true) + ", not " +
                               utohexstr(Of.DebugLinkCrc, true));
  take(Candidate, *Outline);
}

/// Looks for the debug file that a binary names.
void SymbolFinder::Search::tryLink(const std::string &From,
                                   const ElfOutline &Of) {
  StringRef Link = Of.DebugLink;
  if (Link.empty() || Link.contains('/') || Link == "." || Link == "..")
    return;
  StringRef Dir = sys::path::parent_path(From);
  tryLinked(Dir + "/" + Link, Of);
  tryLinked(Dir + "/.debug/" + Link, Of);
  StringRef Recorded = sys::path::parent_path(Path);
  for (const std::string &Root : Places.DebugDirs) {
    tryLinked(Root + Recorded + "/" + Link, Of);
    tryLinked(Root + "/" + Link, Of);
  }
  for (const std::string &Root : Places.Sysroots)
    tryLinked(Root + HostDebugDir + Recorded + "/" + Link, Of);
  tryLinked(HostDebugDir + Recorded + "/" + Link, Of);
}

void SymbolFinder::Search::tryFile(const Twine &File) {
  // Two files without a build-id need not belong together.
  if (complete() || BuildId.empty())
    return;
  std::string Candidate = File.str();
  std::optional<ElfOutline> Outline = outlineOf(Candidate);
  if (!Outline)
    return;
  if (Outline->BuildId != BuildId)
    return pass(Candidate, Outline->BuildId.empty()
                               ? std::string("has no build-id")
                               : "has build-id " + hexOf(Outline->BuildId));
  take(Candidate, *Outline);
  if (Files.Debug.empty())
    tryLink(Candidate, *Outline);
}

void SymbolFinder::Search::tryBuildIds(StringRef Dir) {
  std::string ById = buildIdPath(BuildId);
  if (ById.empty())
    return;
  tryFile(Dir + ById + ".debug");
  tryFile(Dir + ById);
}

/// ByName: a file may also lie directly in Dir.
void SymbolFinder::Search::tryDebugDir(StringRef Dir, bool ByName) {
  tryBuildIds(Dir);
  for (StringRef Suffix : {"", ".debug"}) {
    if (!Path.empty())
      tryFile(Dir + Path + Suffix);
    if (ByName && !Name.empty() && !Name.contains('\0'))
      tryFile(Dir + "/" + Name + Suffix);
  }
}

void SymbolFinder::Search::trySysroot(StringRef Dir) {
  if (!Path.empty())
    tryFile(Dir + Path);
  tryDebugDir((Dir + HostDebugDir).str(), /*ByName=*/false);
}

/// Asks servers last: they take the longest.
void SymbolFinder::Search::tryServers() {
  if (!Places.Servers || !Files.Debug.empty() || BuildId.empty())
    return;
  using FileKind = DebugServers::FileKind;
  std::string File = Places.Servers->find(FileKind::DebugInfo, BuildId);
  if (File.empty() && Files.empty())
    File = Places.Servers->find(FileKind::Executable, BuildId);
  if (!File.empty())
    tryFile(File);
}

SymbolFiles SymbolFinder::Search::run() {
  for (const std::string &Dir : Places.DebugDirs) {
    tryDebugDir(Dir, /*ByName=*/true);
    // A package of debug files that was unpacked into Dir.
    tryDebugDir(Dir + HostDebugDir.str(), /*ByName=*/false);
  }
  for (const std::string &Dir : Places.Sysroots)
    trySysroot(Dir);
  if (!Path.empty())
    tryFile(Path);
  tryDebugDir(HostDebugDir, /*ByName=*/false);
  tryServers();
  return std::move(Files);
}

SymbolFiles SymbolFinder::Search::runOn(const std::string &File) {
  std::optional<ElfOutline> Outline = outlineOf(File);
  if (!Outline)
    return std::move(Files);
  BuildId = Outline->BuildId;
  take(File, *Outline);
  if (Files.Debug.empty()) {
    tryLink(File, *Outline);
    tryBuildIds(HostDebugDir);
    for (const std::string &Dir : Places.DebugDirs)
      tryDebugDir(Dir, /*ByName=*/true);
    tryServers();
  }
  return std::move(Files);
}

SymbolFinder::SymbolFinder(SymbolPlaces Places) : Places(std::move(Places)) {
  // `DIR` and `DIR/` are one folder.
  for (auto *List : {&this->Places.DebugDirs, &this->Places.Sysroots})
    for (std::string &Dir : *List)
      while (Dir.size() > 1 && Dir.back() == '/')
        Dir.pop_back();
}

std::vector<std::string> SymbolFinder::placesOf(StringRef Path) const {
  std::vector<std::string> Found;
  Path = safePath(Path);
  if (Path.empty())
    return Found;
  for (const std::string &Dir : Places.Sysroots)
    Found.push_back(Dir + Path.str());
  Found.push_back(Path.str());
  return Found;
}

SymbolFiles SymbolFinder::find(StringRef Path, ArrayRef<uint8_t> BuildId) {
  return Search(Places, Path, BuildId).run();
}

SymbolFiles SymbolFinder::filesOf(const std::string &File) {
  return Search(Places, File, {}).runOn(File);
}
