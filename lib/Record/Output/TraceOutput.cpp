// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output file of a recording.

#include "Output/TraceOutput.h"
#include "Support/Failure.h"
#include "Support/OutputPath.h"
#include "memkit/Support/RequestError.h"
#include "memkit/Trace/TraceReader.h"
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

TraceOutput::TraceOutput(TraceOutput &&Other)
    : Fd(std::exchange(Other.Fd, -1)), Name(std::move(Other.Name)),
      Regular(Other.Regular) {}

TraceOutput::~TraceOutput() {
  if (Fd >= 0)
    ::close(Fd);
}

Error TraceOutput::close() {
  int Old = std::exchange(Fd, -1);
  if (Old >= 0 && ::close(Old) != 0)
    return failErrno(shownPath(Name));
  return Error::success();
}

Expected<TraceOutput> TraceOutput::open(StringRef Path,
                                        const OutputPolicy &Policy) {
  if (Path == "-") {
    int Fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    struct stat St;
    if (Fd < 0 || fstat(Fd, &St) != 0)
      return failErrno(shownPath(Path));
    return TraceOutput(Fd, "-", S_ISREG(St.st_mode));
  }
  Expected<OutputPlace> Place = placeOfOutput(Path);
  if (!Place)
    return Place.takeError();
  if (Place->Old && !S_ISREG(Place->Old->st_mode)) {
    int Fd = ::open(Place->Path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (Fd < 0)
      return failErrno(shownPath(Path));
    return TraceOutput(Fd, Path.str(), false);
  }
  return openRegular(Place->Path, Policy);
}

/// Whether the file starts like a trace, even of another version.
static bool isTrace(StringRef Path) {
  Expected<std::unique_ptr<SectionStream>> Stream = SectionStream::open(Path);
  if (!Stream) {
    consumeError(Stream.takeError());
    return false;
  }
  Expected<std::optional<AnySection>> First = (*Stream)->next();
  if (!First) {
    consumeError(First.takeError());
    return false;
  }
  return First->has_value() && std::holds_alternative<Header>(**First);
}

/// The name of old trace number N of Path, from 1, the newest.
static std::string oldName(const std::string &Path, unsigned N) {
  return Path + ".old" + (N == 1 ? "" : "." + std::to_string(N));
}

/// Removes the oldest traces of Path that are above the policy's bytes.
static void removeAbove(const std::string &Path, const OutputPolicy &Policy) {
  uint64_t Bytes = 0;
  for (unsigned N = 1; N <= Policy.Keep; ++N) {
    struct stat St;
    if (stat(oldName(Path, N).c_str(), &St) != 0)
      break;
    Bytes += uint64_t(St.st_size);
    if (Bytes > Policy.KeepBytes)
      unlink(oldName(Path, N).c_str());
  }
}

/// Makes the trace Path the newest old trace; false: errno has the reason.
static bool putAway(const std::string &Path, const OutputPolicy &Policy) {
  if (!Policy.Keep)
    return unlink(Path.c_str()) == 0;
  // The first number without a file, or the oldest, whose file goes.
  unsigned Free = 1;
  while (Free < Policy.Keep && access(oldName(Path, Free).c_str(), F_OK) == 0)
    ++Free;
  for (; Free > 1; --Free)
    if (rename(oldName(Path, Free - 1).c_str(), oldName(Path, Free).c_str()) !=
        0)
      return false;
  if (rename(Path.c_str(), oldName(Path, 1).c_str()) != 0)
    return false;
  if (Policy.KeepBytes)
    removeAbove(Path, Policy);
  return true;
}

/// Only the owner may read a trace, also in a file that was there before.
Expected<TraceOutput> TraceOutput::makePrivate(TraceOutput Out) {
  if (fchmod(Out.Fd, 0600) != 0 && errno != EPERM && errno != EOPNOTSUPP)
    return failErrno(shownPath(Out.Name));
  return std::move(Out);
}

Expected<TraceOutput> TraceOutput::openRegular(StringRef Path,
                                               const OutputPolicy &Policy) {
  std::string P = Path.str();
  // Another recorder may create or rename the same file at any time point; each
  // turn ends with a lock on the file of this name, or with an error.
  for (int Turn = 0; Turn != 16; ++Turn) {
    int Fd = ::open(P.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool Created = Fd >= 0;
    if (!Created && errno == EEXIST)
      Fd = ::open(P.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (Fd < 0) {
      if (errno == ENOENT && !Created && Turn != 15 &&
          access(P.c_str(), F_OK) == 0)
        continue;
      return failErrno(shownPath(Path));
    }
    TraceOutput Out(Fd, P, true);
    if (flock(Fd, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK)
        return fail(Path, "another recorder is writing to it");
      if (errno != ENOLCK && errno != EOPNOTSUPP && errno != EINVAL)
        return failErrno(shownPath(Path));
    }
    struct stat Mine, Named;
    if (fstat(Fd, &Mine) != 0)
      return failErrno(shownPath(Path));
    if (stat(P.c_str(), &Named) != 0 || Mine.st_ino != Named.st_ino ||
        Mine.st_dev != Named.st_dev)
      continue; // renamed between open and lock
    // A file of another user, or one with another name, gets nothing.
    bool MayKeep = Mine.st_uid == geteuid() && Mine.st_nlink == 1;
    if (Mine.st_size == 0 && MayKeep)
      return makePrivate(std::move(Out));
    if (Mine.st_size == 0) {
      if (unlink(P.c_str()) != 0)
        return failErrno(shownPath(Path));
      continue;
    }
    if (isTrace(Path)) {
      if (!putAway(P, Policy))
        return failErrno(shownPath(Path));
      continue;
    }
    if (!Policy.Force)
      return make_error<RequestError>(
          RequestError::RequestErrorKind::NoAnswer, RequestPart(),
          shownPath(Path) + ": exists and is not a trace; overwrite with ",
          RequestPart{RequestField::Overwrite, ""});
    if (!MayKeep) {
      if (unlink(P.c_str()) != 0)
        return failErrno(shownPath(Path));
      continue;
    }
    if (ftruncate(Fd, 0) != 0)
      return failErrno(shownPath(Path));
    return makePrivate(std::move(Out));
  }
  return fail(Path, "cannot create: other processes keep replacing the file");
}
