// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output file of a recording.

#include "Output/TraceOutput.h"
#include "Support/Failure.h"
#include "memkit/Support/RequestError.h"
#include "memkit/Trace/ReadHeader.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static StringRef shownPath(StringRef Path) {
  return Path == "-" ? "standard output" : Path;
}
static Error fail(StringRef Path, const Twine &What) {
  return createStringError(inconvertibleErrorCode(),
                           shownPath(Path) + ": " + What);
}

static std::string timeStamp(std::time_t Time) {
  std::tm Local;
  localtime_r(&Time, &Local);
  char Text[32];
  size_t Size = std::strftime(Text, sizeof(Text), "%Y%m%d-%H%M%S", &Local);
  return std::string(Text, Size);
}

Expected<std::string> memkit::expandName(StringRef Pattern,
                                         const NameFields &Fields, GetEnv Env) {
  std::string Out;
  for (size_t I = 0; I != Pattern.size(); ++I) {
    if (Pattern[I] != '%') {
      Out += Pattern[I];
      continue;
    }
    char Kind = ++I == Pattern.size() ? 0 : Pattern[I];
    switch (Kind) {
    case '%':
      Out += '%';
      break;
    case 'p':
      Out += std::to_string(Fields.Pid);
      break;
    case 'h':
      Out += Fields.Host;
      break;
    case 't':
      Out += timeStamp(Fields.Time);
      break;
    case 'r':
      if (Fields.Rank < 0)
        return fail(Pattern, "%r: no rank is set in the environment");
      Out += std::to_string(Fields.Rank);
      break;
    case 'q': {
      size_t End = Pattern.find('}', I);
      if (I + 1 >= Pattern.size() || Pattern[I + 1] != '{' ||
          End == StringRef::npos)
        return fail(Pattern, "%q needs a variable in braces, %q{VAR}");
      StringRef Name = Pattern.slice(I + 2, End);
      std::optional<std::string> Value = Env(Name);
      if (!Value)
        return fail(Pattern, "%q{" + Name + "}: the variable is not set");
      Out += *Value;
      I = End;
      break;
    }
    default:
      return fail(Pattern, "unknown pattern '%" +
                               Twine(StringRef(&Kind, Kind != 0)) +
                               "' (%p, %h, %r, %t, %q{VAR} and %% are known)");
    }
  }
  return Out;
}

Error TraceOutput::close() {
  int Old = Fd.release();
  if (Old >= 0 && ::close(Old) != 0)
    return failErrno(shownPath(Name));
  return Error::success();
}

Expected<TraceOutput> TraceOutput::open(StringRef Path,
                                        const OutputPolicy &Policy) {
  if (Path == "-") {
    Descriptor Fd(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!Fd)
      return failErrno(shownPath(Path));
    return TraceOutput(std::move(Fd), Path);
  }
  Expected<OutputPlace> Place = OutputPlace::find(Path);
  if (!Place)
    return Place.takeError();
  if (Place->isFile())
    return openRegular(std::move(*Place), Policy);
  Expected<Descriptor> Fd = Place->open();
  if (!Fd)
    return Fd.takeError();
  return TraceOutput(std::move(*Fd), Path);
}

//===----------------------------------------------------------------------===//
// A file that exists
//===----------------------------------------------------------------------===//

static bool isTrace(int Fd) {
  return readHeader("/proc/self/fd/" + std::to_string(Fd)).has_value();
}

namespace {
/// The files of an output's name: the trace and the old traces beside it.
class OldTraces {
public:
  OldTraces(const OutputPlace &Place, const OutputPolicy &Policy)
      : Place(Place), Policy(Policy) {}
  /// Makes the trace the newest old trace; false: errno has the reason.
  bool putAway();
  bool remove(const std::string &Name) const {
    return unlinkat(Place.folder(), Name.c_str(), 0) == 0;
  }

private:
  /// The name of old trace number N, from 1, the newest.
  std::string oldName(unsigned N) const {
    return Place.name() + ".old" + (N == 1 ? "" : "." + std::to_string(N));
  }
  bool exists(const std::string &Name, struct stat &St) const {
    return fstatat(Place.folder(), Name.c_str(), &St, AT_SYMLINK_NOFOLLOW) == 0;
  }
  bool rename(const std::string &From, const std::string &To) const {
    return renameat(Place.folder(), From.c_str(), Place.folder(), To.c_str()) ==
           0;
  }
  void removeAbove() const;

  const OutputPlace &Place;
  const OutputPolicy &Policy;
};
} // namespace

/// Removes the oldest traces that are above the policy's bytes.
void OldTraces::removeAbove() const {
  uint64_t Bytes = 0;
  for (unsigned N = 1; N <= Policy.Keep; ++N) {
    struct stat St;
    if (!exists(oldName(N), St))
      break;
    Bytes += uint64_t(St.st_size);
    if (Bytes > Policy.KeepBytes)
      remove(oldName(N));
  }
}

bool OldTraces::putAway() {
  if (!Policy.Keep)
    return remove(Place.name());
  // The first number without a file, or the oldest, whose file goes.
  unsigned Free = 1;
  struct stat St;
  while (Free < Policy.Keep && exists(oldName(Free), St))
    ++Free;
  for (; Free > 1; --Free)
    if (!rename(oldName(Free - 1), oldName(Free)))
      return false;
  if (!rename(Place.name(), oldName(1)))
    return false;
  if (Policy.KeepBytes)
    removeAbove();
  return true;
}

/// Locks a file against other recorders, where the file system has locks.
static Error lock(int Fd, StringRef Path) {
  if (flock(Fd, LOCK_EX | LOCK_NB) == 0 || errno == ENOLCK ||
      errno == EOPNOTSUPP || errno == EINVAL)
    return Error::success();
  if (errno == EWOULDBLOCK)
    return fail(Path, "another recorder is writing to it");
  return failErrno(shownPath(Path));
}

/// Whether the name is still that of the open file, whose state is set.
static bool hasName(const OutputPlace &Place, int Fd, struct stat &Mine) {
  struct stat Named;
  return fstat(Fd, &Mine) == 0 &&
         fstatat(Place.folder(), Place.name().c_str(), &Named,
                 AT_SYMLINK_NOFOLLOW) == 0 &&
         Mine.st_ino == Named.st_ino && Mine.st_dev == Named.st_dev;
}

/// Takes the file that has the name away, if it may go. Success may also mean
/// that another recorder was faster.
static Error makeRoom(const OutputPlace &Place, const OutputPolicy &Policy) {
  StringRef Path = Place.path();
  Descriptor Old(
      openat(Place.folder(), Place.name().c_str(),
             O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!Old)
    return errno == ENOENT ? Error::success() : failErrno(shownPath(Path));
  if (Error E = lock(Old.get(), Path))
    return E;
  struct stat St;
  if (!hasName(Place, Old.get(), St))
    return Error::success(); // renamed between open and lock
  if (!S_ISREG(St.st_mode))
    return fail(Path, "has become another kind of file");
  bool IsOld = St.st_size && isTrace(Old.get());
  if (St.st_size && !IsOld && !Policy.Force)
    return make_error<RequestError>(
        RequestError::RequestErrorKind::NoAnswer, RequestPart(),
        shownPath(Path) + ": exists and is not a trace; overwrite with ",
        RequestPart{RequestField::Overwrite, ""});
  if (!Place.mayReplace())
    return Place.refuse("and only that user can replace the file here");
  OldTraces Files(Place, Policy);
  if (IsOld ? Files.putAway() : Files.remove(Place.name()))
    return Error::success();
  return failErrno(shownPath(Path));
}

Expected<TraceOutput> TraceOutput::openRegular(OutputPlace Place,
                                               const OutputPolicy &Policy) {
  std::string Path = Place.path();
  // Another recorder may create or rename the same file at any time point; each
  // turn ends with a lock on the file of this name, or with an error.
  for (int Turn = 0; Turn != 16; ++Turn) {
    Descriptor Fd = Place.create(Place.name(), 0600);
    if (!Fd && errno != EEXIST)
      return failErrno(shownPath(Path));
    if (!Fd) {
      if (Error E = makeRoom(Place, Policy))
        return std::move(E);
      continue;
    }
    if (Error E = lock(Fd.get(), Path))
      return std::move(E);
    struct stat St;
    if (!hasName(Place, Fd.get(), St))
      continue; // another recorder was between creation and lock
    TraceOutput Out(std::move(Fd), Path);
    Out.Place.emplace(std::move(Place));
    return Out;
  }
  return fail(Path, "cannot create: other processes keep replacing the file");
}

void TraceOutput::remove() {
  struct stat St;
  if (Place && hasName(*Place, Fd.get(), St))
    unlinkat(Place->folder(), Place->name().c_str(), 0);
}
