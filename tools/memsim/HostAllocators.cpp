// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The allocators of the host that --with names.

#include "HostAllocators.h"
#include "Cli/ToolMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace memkit;

namespace {
/// An allocator in a library of its own.
struct KnownLibrary {
  StringLiteral Name, Library, Package;
};
} // namespace

static constexpr KnownLibrary Libraries[] = {
    {"jemalloc", "libjemalloc.so.2", "libjemalloc2"},
    {"tcmalloc", "libtcmalloc_minimal.so.4", "libtcmalloc-minimal4"},
    {"mimalloc", "libmimalloc.so.2", "libmimalloc2.0"},
};

/// glibc.malloc.NAME; glibc ignores names that it does not know.
static constexpr StringLiteral GlibcTunables[] = {
    "arena_max",     "arena_test",     "check",   "hugetlb",
    "mmap_max",      "mmap_threshold", "mxfast",  "perturb",
    "tcache_max",    "tcache_count",   "top_pad", "tcache_unsorted_limit",
    "trim_threshold"};

bool memkit::isHostAllocator(StringRef Text) {
  StringRef Name = Text.split(':').first;
  return Text.contains('/') || Name == "glibc" ||
         any_of(Libraries, [&](const auto &L) { return L.Name == Name; });
}

StringRef memkit::recordedHostAllocator(const Trace &T) {
  for (const Binary &B : T.binaries())
    for (const KnownLibrary &L : Libraries)
      if (baseName(T.string(B.Path)).starts_with(("lib" + L.Name).str()))
        return L.Name;
  return "glibc";
}

/// Adds the settings of glibc: `arena_max=1,trim_threshold=65536`.
static Error addTunables(HostAllocator &To, StringRef Settings, uint32_t Cpus) {
  std::string Value;
  bool HasArenas = false;
  for (StringRef Setting : split(Settings, ',')) {
    if (Setting.empty())
      continue;
    auto [Name, Text] = Setting.split('=');
    uint64_t Number;
    if (!is_contained(GlibcTunables, Name))
      return makeUsageError("--with=" + To.Name + ": no setting '" + Name +
                            "'; settings are " +
                            join(ArrayRef(GlibcTunables), ", "));
    if (Text.getAsInteger(0, Number))
      return makeUsageError("--with=" + To.Name + ": " + Name +
                            " needs a number, as in " + Name + "=1");
    HasArenas |= Name == "arena_max";
    Value += (Value.empty() ? "glibc.malloc." : ":glibc.malloc.") +
             (Name + "=" + Text).str();
  }
  // glibc's own limit depends on the processors of the machine.
  constexpr uint32_t ArenasPerCpu = 8;
  if (!HasArenas && Cpus)
    Value += (Value.empty() ? "" : ":") +
             ("glibc.malloc.arena_max=" + Twine(uint64_t(Cpus) * ArenasPerCpu))
                 .str();
  if (!Value.empty())
    To.Variables.emplace_back("GLIBC_TUNABLES", Value);
  return Error::success();
}

static Expected<HostAllocator> readHostAllocator(StringRef Text,
                                                 uint32_t Cpus) {
  HostAllocator Out;
  Out.Name = Text.str();
  if (Text.contains('/')) {
    // The dynamic linker splits the variable at colons and spaces.
    if (Text.find_first_of(": ") != StringRef::npos)
      return makeUsageError("--with=" + Text +
                            ": a path with ':' or ' ' cannot be preloaded");
    if (!sys::fs::exists(Text))
      return makeUsageError("--with=" + Text + ": No such file");
    Out.Library = Text.str();
    return Out;
  }
  auto [Name, Settings] = Text.split(':');
  if (Name == "glibc") {
    if (Error E = addTunables(Out, Settings, Cpus))
      return std::move(E);
    return Out;
  }
  const KnownLibrary *Of =
      find_if(Libraries, [&](const auto &L) { return L.Name == Name; });
  Out.Library = Of->Library;
  Out.Package = Of->Package;
  if (Name == "jemalloc" && !Settings.empty())
    Out.Variables.emplace_back("MALLOC_CONF", Settings.str());
  else if (!Settings.empty())
    return makeUsageError("--with=" + Text + ": settings of " + Name +
                          " are variables of the environment: " + Name.upper() +
                          "_...");
  return Out;
}

Expected<std::vector<HostAllocator>>
memkit::chooseHostAllocators(const Trace &T, ArrayRef<std::string> With,
                             const HostReplayLimits &Limits) {
  std::vector<std::string> Usual;
  if (With.empty()) {
    StringRef Recorded = recordedHostAllocator(T);
    Usual = {Recorded.str()};
    for (StringRef Name :
         {"glibc", "glibc:arena_max=1", "jemalloc", "tcmalloc", "mimalloc"})
      if (Name != Recorded)
        Usual.push_back(Name.str());
  }
  std::vector<HostAllocator> Out;
  for (const std::string &Text : With.empty() ? ArrayRef(Usual) : With) {
    Expected<HostAllocator> A = readHostAllocator(Text, T.header().Cpus);
    if (!A)
      return A.takeError();
    if (!A->Library.empty())
      if (Error E = checkHostAllocator(*A, Limits)) {
        if (With.empty()) {
          consumeError(std::move(E));
          continue;
        }
        return makeUsageError("--with=" + Text + ": " + toString(std::move(E)));
      }
    Out.push_back(std::move(*A));
  }
  return Out;
}
