// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memrec beside memtop, for a program that nobody records yet.

#include "AttachedRecorder.h"
#include "Cli/Messages.h"
#include "Support/Failure.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace memkit;

/// What memrec has said up to now. A file, as a pipe that nobody reads fills.
std::string AttachedRecorder::said() const {
  constexpr size_t MaxBytes = 64 << 10;
  std::string Text(MaxBytes, '\0');
  ssize_t N = pread(Messages, Text.data(), Text.size(), 0);
  Text.resize(size_t(std::max<ssize_t>(N, 0)));
  return Text;
}

/// In the child process. memrec ends when memtop does, however that ends, and
/// not by a key of the terminal, which is for memtop.
[[noreturn]] static void becomeRecorder(pid_t Parent, int Messages,
                                        char **Argv) {
  setpgid(0, 0);
  for (int Signal : {SIGINT, SIGTERM, SIGHUP})
    signal(Signal, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  int Null = open("/dev/null", O_RDWR);
  if (getppid() == Parent && Null >= 0 && dup2(Null, 0) == 0 &&
      dup2(Null, 1) == 1 && dup2(Messages, 2) == 2)
    execv(Argv[0], Argv);
  _exit(1);
}

Error AttachedRecorder::spawn(const AttachWish &W) {
  static int Anchor;
  SmallString<128> Path(
      sys::path::parent_path(sys::fs::getMainExecutable("memtop", &Anchor)));
  sys::path::append(Path, "memrec");
  if (!sys::fs::can_execute(Path))
    return makeError("memrec is not beside memtop");
  Messages = memfd_create("memtop-memrec", MFD_CLOEXEC);
  if (Messages < 0)
    return failErrno("memfd_create");
  std::vector<std::string> Words{Path.str().str(), "-p", W.Target, "-o", Trace};
  if (W.WithChildren)
    Words.push_back("--children");
  std::vector<char *> Argv;
  for (std::string &Word : Words)
    Argv.push_back(Word.data());
  Argv.push_back(nullptr);
  pid_t Self = getpid();
  Pid = fork();
  if (Pid == 0)
    becomeRecorder(Self, Messages, Argv.data());
  if (Pid > 0)
    return Error::success();
  Pid = 0;
  return failErrno("cannot fork");
}

/// memrec gives up by itself where it cannot attach.
Error AttachedRecorder::waitUntilAttached() {
  constexpr useconds_t StepUs = 10'000;
  for (;;) {
    if (StringRef(said()).contains("attached to process "))
      return Error::success();
    pid_t Ended = waitpid(Pid, nullptr, WNOHANG);
    if (Ended == 0 || (Ended < 0 && errno == EINTR)) {
      usleep(StepUs);
      continue;
    }
    Pid = 0;
    std::string Text = said();
    StringRef Why = StringRef(Text).trim();
    Why = Why.substr(Why.rfind('\n') + 1);
    Why.consume_front("memrec: ");
    Why.consume_front("error: ");
    return makeError(Why.empty() ? "memrec has ended" : Why);
  }
}

Expected<std::unique_ptr<AttachedRecorder>>
AttachedRecorder::start(const AttachWish &W) {
  std::unique_ptr<AttachedRecorder> R(new AttachedRecorder);
  R->Trace = W.Output;
  if (W.Output.empty()) {
    SmallString<128> Folder;
    if (std::error_code Problem =
            sys::fs::createUniqueDirectory("memtop", Folder))
      return errorCodeToError(Problem);
    R->Folder = Folder.str();
    R->Trace = R->Folder + "/trace.fb";
  }
  if (Error E = R->spawn(W))
    return std::move(E);
  if (Error E = R->waitUntilAttached())
    return std::move(E);
  return R;
}

AttachedRecorder::~AttachedRecorder() {
  bool HasRun = Pid != 0;
  if (HasRun) {
    kill(Pid, SIGTERM);
    while (waitpid(Pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (Messages >= 0)
    close(Messages);
  if (!Folder.empty())
    sys::fs::remove_directories(Folder);
  else if (HasRun)
    say("the recording is in " + Trace);
}
