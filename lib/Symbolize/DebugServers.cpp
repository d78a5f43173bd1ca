// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug files from servers.

#include "DebugServers.h"
#include "Support/Failure.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// Failures in a row after which no server is asked any more.
static constexpr unsigned MaxFailures = 8;
/// The parts of the progress of one question.
static constexpr uint64_t ProgressParts = 1000;

/// The functions of libdebuginfod that memkit calls, and a client: the
/// library's state, a pointer.
class DebugServers::Library {
public:
  Error load(const std::string &Name);
  ~Library();
  /// Asks for a file. Returns a descriptor, or the negative of an errno.
  int ask(FileKind Kind, ArrayRef<uint8_t> Id, std::string &Path);

  ProgressCallback OnProgress;

private:
  using FindFunction = int(void *Client, const unsigned char *Id, int Length,
                           char **Path);
  using WatchFunction = int(void *Client, long Done, long Total);

  template <typename T> bool get(T *&Function, const char *Name) {
    Function = reinterpret_cast<T *>(dlsym(Handle, Name));
    return Function != nullptr;
  }
  static WatchFunction progressed;
  /// The library whose question is being asked: progressed() has no other way
  /// to it in versions before 0.180.
  static Library *Asking;
  static constexpr const char *Question = "asking for debug files";

  void *Handle = nullptr;
  void *Client = nullptr;
  FindFunction *FindDebugInfo = nullptr;
  FindFunction *FindExecutable = nullptr;
  void (*End)(void *Client) = nullptr;
};

DebugServers::Library *DebugServers::Library::Asking = nullptr;

Error DebugServers::Library::load(const std::string &Name) {
  Handle = dlopen(Name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!Handle) {
    const char *Why = dlerror();
    return makeError("the library " + Name + " cannot be loaded (" +
                     (Why ? Why : "no reason known") +
                     "): install libdebuginfod1 (Debian, Ubuntu) or "
                     "elfutils-debuginfod-client (Fedora)");
  }
  void *(*Begin)() = nullptr;
  if (!get(Begin, "debuginfod_begin") || !get(End, "debuginfod_end") ||
      !get(FindDebugInfo, "debuginfod_find_debuginfo") ||
      !get(FindExecutable, "debuginfod_find_executable"))
    return makeError("the library " + Name +
                     " lacks functions of libdebuginfod");
  Client = Begin();
  if (!Client)
    return makeError("the library " + Name + " has no memory for a client");
  void (*Watch)(void *Client, WatchFunction *) = nullptr;
  if (OnProgress && get(Watch, "debuginfod_set_progressfn"))
    Watch(Client, progressed);
  return Error::success();
}

DebugServers::Library::~Library() {
  if (Client)
    End(Client);
  // The handle stays: the library's own libraries may not be unloaded.
}

/// Called while the library waits for a server. Not 0 would end the question.
int DebugServers::Library::progressed(void *, long Done, long Total) {
  if (!Asking || Total <= 0 || Done < 0)
    return 0;
  double Part = double(std::min(Done, Total)) / double(Total);
  Asking->OnProgress(
      Question, std::min(uint64_t(Part * ProgressParts), ProgressParts - 1),
      ProgressParts);
  return 0;
}

int DebugServers::Library::ask(FileKind Kind, ArrayRef<uint8_t> Id,
                               std::string &Path) {
  if (OnProgress) {
    Asking = this;
    OnProgress(Question, 0, ProgressParts);
  }
  char *Found = nullptr;
  FindFunction *Find =
      Kind == FileKind::DebugInfo ? FindDebugInfo : FindExecutable;
  int Result = Find(Client, Id.data(), int(Id.size()), &Found);
  if (OnProgress) {
    OnProgress(Question, ProgressParts, ProgressParts);
    Asking = nullptr;
  }
  if (Result >= 0 && Found)
    Path = Found;
  free(Found);
  return Result;
}

static std::string serverList() {
  const char *Urls = getenv("DEBUGINFOD_URLS");
  return StringRef(Urls ? Urls : "").trim().str();
}

DebugServers::DebugServers(std::unique_ptr<Library> L) : Lib(std::move(L)) {}
DebugServers::~DebugServers() = default;

Expected<std::unique_ptr<DebugServers>>
DebugServers::open(ProgressCallback OnProgress, const std::string &Name) {
  if (serverList().empty())
    return makeError("no server is set: the variable DEBUGINFOD_URLS is empty; "
                     "set it to the server of your distribution");
  auto Lib = std::make_unique<Library>();
  Lib->OnProgress = std::move(OnProgress);
  if (Error E = Lib->load(Name))
    return std::move(E);
  return std::unique_ptr<DebugServers>(new DebugServers(std::move(Lib)));
}

static std::string failureText(int Errno) {
  std::string Servers = serverList();
  if (Errno == ETIME || Errno == ETIMEDOUT)
    return Servers + ": no answer in the time of DEBUGINFOD_TIMEOUT";
  return Servers + ": " + std::strerror(Errno);
}

std::string DebugServers::find(FileKind Kind, ArrayRef<uint8_t> BuildId) {
  std::string Path;
  if (IsOff || BuildId.empty())
    return Path;
  int Result = Lib->ask(Kind, BuildId, Path);
  if (Result >= 0) {
    close(Result);
    Failures = 0;
    return Path;
  }
  if (Result == -ENOENT) {
    Failures = 0;
    return "";
  }
  Failure = failureText(-Result);
  ++Failures;
  // Another server may still answer the next question, unless each question
  // would wait as long as this one.
  bool IsOnly = !StringRef(serverList()).contains(' ');
  IsOff = IsOnly || Result == -ETIME || Failures == MaxFailures;
  return "";
}
