// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a process, as the kernel lists them.

#include "Attach/TargetTasks.h"
#include "Shared/ProcFs.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <dirent.h>

using namespace llvm;
using namespace memkit;

static std::string folderOf(pid_t Pid) {
  return "/proc/" + std::to_string(Pid) + "/task";
}

char memkit::stateOf(pid_t Pid, pid_t Tid) {
  std::string Text =
      procfs::readFile(folderOf(Pid) + "/" + std::to_string(Tid) + "/stat");
  // The name in parentheses may have any characters.
  size_t End = Text.rfind(')');
  return End != std::string::npos && End + 2 < Text.size() ? Text[End + 2] : 0;
}

uint64_t memkit::callOf(pid_t Pid, pid_t Tid) {
  std::string Text =
      procfs::readFile(folderOf(Pid) + "/" + std::to_string(Tid) + "/syscall");
  uint64_t Call;
  // "running", or -1 and the place, or the call's number and more.
  return StringRef(Text).split(' ').first.getAsInteger(10, Call) ? UINT64_MAX
                                                                 : Call;
}

bool TargetTask::isGone() const {
  char State = stateOf(Pid, Tid);
  return !State || State == 'Z' || State == 'X';
}

std::vector<TargetTask> memkit::tasksOf(pid_t Pid) {
  std::vector<TargetTask> Tasks;
  DIR *Folder = opendir(folderOf(Pid).c_str());
  if (!Folder)
    return Tasks;
  while (const dirent *Entry = readdir(Folder)) {
    pid_t Tid;
    if (StringRef(Entry->d_name).getAsInteger(10, Tid))
      continue;
    char State = stateOf(Pid, Tid);
    Tasks.push_back({Pid, Tid, State == 'S', State == 'S' || State == 'R'});
  }
  closedir(Folder);
  std::stable_partition(Tasks.begin(), Tasks.end(),
                        [](const TargetTask &T) { return T.IsWaiting; });
  return Tasks;
}
