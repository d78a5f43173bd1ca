// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of a project: memkit.toml, or the table tool.memkit in
// pyproject.toml.

#include "ProjectConfig.h"
#include "Support/CommandText.h"
#include "Support/Failure.h"
#include "Support/NearName.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

using namespace llvm;

namespace memkit {

static constexpr StringLiteral Usual = "memkit.toml",
                               OfPython = "pyproject.toml";
static constexpr StringLiteral TableOfPython = "tool.memkit";
/// Options that all tools share stand outside the tables of tools.
static constexpr StringLiteral OfAllTools[] = {"own", "rules", "all-frames",
                                               "color"};
/// Values that are paths are relative to the file's folder.
static constexpr StringLiteral Paths[] = {"rules", "suppressions", "baseline"};
/// What a file that was only found may not set: the user has not chosen it, and
/// these write files, run code or ask servers.
static constexpr StringLiteral NotFound[] = {
    "o",    "on-alert", "library", "force", "bundle",
    "open", "run",      "page",    "with",  "debuginfod"};
/// What no file may set.
static constexpr StringLiteral Never[] = {"config", "help", "version"};

static constexpr StringRef Tools[] = {
    "memrec",   "memstat", "memleak", "memdiff",   "memflame",
    "memview",  "memtop",  "memdump", "memimport", "memsim",
    "memmerge", "memas",   "memmcp"};

/// Whether only the user or root can have written the file.
static bool isOwn(const std::string &Path) {
  struct stat St;
  return stat(Path.c_str(), &St) == 0 &&
         (St.st_uid == geteuid() || St.st_uid == 0) && !(St.st_mode & S_IWOTH);
}

static Expected<std::unique_ptr<MemoryBuffer>> readFile(const Twine &Path) {
  constexpr uint64_t Max = 1 << 20;
  uint64_t Size = 0;
  std::error_code Code = sys::fs::file_size(Path, Size);
  if (!Code && Size > Max)
    return makeError(Path + ": more than 1 MiB");
  auto Text = MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!Text)
    return makeError(Path + ": " + Text.getError().message());
  return std::move(*Text);
}

/// Whether pyproject.toml may have the table; other tools check the rest.
static bool hasTable(StringRef Path) {
  Expected<std::unique_ptr<MemoryBuffer>> Text = readFile(Path);
  if (!Text) {
    consumeError(Text.takeError());
    return false;
  }
  return (*Text)->getBuffer().contains(TableOfPython);
}

/// The file of the project; empty: there is none.
static std::string findFile(std::vector<std::string> &PassedOver) {
  SmallString<256> Folder;
  if (sys::fs::current_path(Folder))
    return "";
  const char *Home = std::getenv("HOME");
  while (!Folder.empty()) {
    for (StringRef Name : {Usual, OfPython}) {
      SmallString<256> Path(Folder);
      sys::path::append(Path, Name);
      if (!sys::fs::is_regular_file(Path) ||
          (Name == OfPython && !hasTable(Path)))
        continue;
      if (isOwn(Path.str().str()))
        return Path.str().str();
      PassedOver.push_back(Path.str().str());
    }
    bool IsTop = any_of(std::initializer_list<StringRef>{".git", ".hg", ".svn"},
                        [&](StringRef Name) {
                          SmallString<256> Path(Folder);
                          sys::path::append(Path, Name);
                          return sys::fs::exists(Path);
                        });
    if (IsTop || (Home && Folder == Home))
      break;
    StringRef Above = sys::path::parent_path(Folder);
    Folder.resize(Above.size());
  }
  return "";
}

namespace {
/// Collects the options of a file.
class ConfigReader {
public:
  ConfigReader(ProjectConfig &To, bool IsFound) : To(To), IsFound(IsFound) {}
  Error readTop(const toml::table &Top);

private:
  Error wrong(const toml::node &At, const Twine &What) const {
    return makeError(To.Path + ":" + Twine(At.source().begin.line) + ": " +
                     What);
  }
  Error readOption(StringRef Tool, StringRef Name, const toml::node &Value);
  Error readValue(StringRef Tool, StringRef Name, const toml::node &Value);

  ProjectConfig &To;
  bool IsFound; ///< the user has not named the file
};
} // namespace

Error ConfigReader::readValue(StringRef Tool, StringRef Name,
                              const toml::node &Value) {
  std::string Text = ((Name.size() == 1 ? "-" : "--") + Name).str();
  if (auto *Is = Value.as_boolean()) {
    Text += Name.size() == 1 ? "" : Is->get() ? "=true" : "=false";
    if (Name.size() == 1 && !Is->get())
      return Error::success();
  } else if (auto *Number = Value.as_integer())
    Text += "=" + std::to_string(Number->get());
  else if (auto *Words = Value.as_string()) {
    StringRef Word = Words->get();
    if (Word.contains('\0'))
      return wrong(Value, Name + ": a text with a byte 0");
    SmallString<256> Path(Word);
    if (is_contained(Paths, Name) && !sys::path::is_absolute(Word)) {
      Path = sys::path::parent_path(To.Path);
      sys::path::append(Path, Word);
    }
    Text += "=" + Path.str().str();
  } else
    return wrong(Value, Name + ": a text, a whole number, true, false, or a "
                               "list of texts");
  To.Options.push_back(
      {Tool.str(), Text,
       To.Path + ":" + std::to_string(Value.source().begin.line)});
  return Error::success();
}

Error ConfigReader::readOption(StringRef Tool, StringRef Name,
                               const toml::node &Value) {
  if (Name.empty() || !isHarmless(Name) || Name.starts_with("-") ||
      is_contained(Never, Name))
    return wrong(Value, "'" + oneLine(Name) + "' is no option for a file");
  if (IsFound && is_contained(NotFound, Name))
    return wrong(Value, Name + " is not taken from a file that was only found; "
                               "name the file in MEMKIT_CONFIG");
  const toml::array *List = Value.as_array();
  if (!List)
    return readValue(Tool, Name, Value);
  for (const toml::node &Item : *List)
    if (Error E = readValue(Tool, Name, Item))
      return E;
  return Error::success();
}

Error ConfigReader::readTop(const toml::table &Top) {
  for (auto &&[Key, Value] : Top) {
    StringRef Name = Key.str();
    if (const toml::table *Tool = Value.as_table()) {
      StringRef Short = Name;
      Short.consume_front("mem");
      std::string Full = ("mem" + Short).str();
      if (!is_contained(Tools, Full)) {
        StringRef Near = nearestName(Full, Tools);
        return wrong(
            Value, "there is no tool '" + oneLine(Name) + "'" +
                       (Near.empty() ? "" : "; did you mean '" + Near + "'?"));
      }
      for (auto &&[Option, Given] : *Tool)
        if (Error E = readOption(Full, Option.str(), Given))
          return E;
    } else if (!is_contained(OfAllTools, Name))
      return wrong(Value, "'" + oneLine(Name) +
                              "' is no option of all tools; others stand in "
                              "the table of a tool, as [memstat]");
    else if (Error E = readOption("", Name, Value))
      return E;
  }
  return Error::success();
}

Expected<ProjectConfig> readProjectConfig() {
  ProjectConfig C;
  const char *Named = std::getenv("MEMKIT_CONFIG");
  bool IsFound = !Named || !*Named;
  if (!IsFound && StringRef(Named) == "off")
    return C;
  C.Path = IsFound ? findFile(C.PassedOver) : Named;
  if (C.Path.empty())
    return C;
  Expected<std::unique_ptr<MemoryBuffer>> Text = readFile(C.Path);
  if (!Text)
    return Text.takeError();
  StringRef Content = (*Text)->getBuffer();
  toml::parse_result Parsed =
      toml::parse(std::string_view(Content.data(), Content.size()));
  if (!Parsed)
    return makeError(C.Path + ":" + Twine(Parsed.error().source().begin.line) +
                     ": " + oneLine(StringRef(Parsed.error().description())));
  const toml::table *Top = &Parsed.table();
  if (sys::path::filename(C.Path) == OfPython)
    Top = (*Top)["tool"]["memkit"].as_table();
  if (!Top) {
    C.Path.clear();
    return C;
  }
  if (Error E = ConfigReader(C, IsFound).readTop(*Top))
    return std::move(E);
  return C;
}

Expected<std::vector<std::string>>
optionsOf(const ProjectConfig &C, StringRef Tool, ArrayRef<StringRef> Names) {
  std::vector<std::string> Out;
  for (const ConfigOption &O : C.Options) {
    StringRef Name = StringRef(O.Text).ltrim('-').split('=').first;
    bool IsKnown = is_contained(Names, Name);
    if (O.Tool == Tool && !IsKnown) {
      StringRef Near = nearestName(Name, Names);
      return makeError(O.From + ": " + Tool + " has no option '" + Name + "'" +
                       (Near.empty() ? "" : "; did you mean '" + Near + "'?"));
    }
    if (IsKnown && (O.Tool.empty() || O.Tool == Tool))
      Out.push_back(O.Text);
  }
  return Out;
}

} // namespace memkit
