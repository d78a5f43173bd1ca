// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this machine is.

#include "Shared/MachineFacts.h"
#include "Shared/MemoryGroup.h"
#include "Support/MemoryVariables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdlib>
#include <sys/sysinfo.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

using namespace llvm;
using namespace memkit;

static std::string readText(const Twine &Path) {
  auto Text = MemoryBuffer::getFileAsStream(Path);
  return Text ? (*Text)->getBuffer().str() : std::string();
}

/// The value of the first line that begins with Key, without blanks and quotes
/// around it.
static std::string valueOf(StringRef Text, StringRef Key) {
  SmallVector<StringRef> Lines;
  Text.split(Lines, '\n');
  for (StringRef Line : Lines)
    if (Line.consume_front(Key))
      return Line.trim(" \t:=\"'").str();
  return "";
}

/// `docker`, `podman`, `kubernetes`; empty: none of these.
static std::string container() {
  if (getenv("KUBERNETES_SERVICE_HOST"))
    return "kubernetes";
  if (sys::fs::exists("/run/.containerenv"))
    return "podman";
  return sys::fs::exists("/.dockerenv") ? "docker" : "";
}

static void addDevices(std::vector<std::string> &To) {
  std::string Version = readText("/proc/driver/nvidia/version");
  StringRef Module = StringRef(Version).split("Kernel Module").second.ltrim();
  if (!Module.empty())
    To.push_back(("driver=" + Module.take_until([](char C) {
                   return isSpace(C);
                 })).str());
  std::error_code Problem;
  for (sys::fs::directory_iterator At("/proc/driver/nvidia/gpus", Problem), End;
       At != End && !Problem; At.increment(Problem))
    if (std::string Model =
            valueOf(readText(At->path() + "/information"), "Model");
        !Model.empty())
      To.push_back("gpu=" + Model);
}

/// Bytes of a variable with settings.
static constexpr size_t MaxSettings = 1024;

std::vector<std::string> memkit::machineFacts() {
  std::vector<std::string> Facts;
  auto Add = [&](StringRef Name, const std::string &Value) {
    if (!Value.empty())
      Facts.push_back((Name + "=" + Value).str());
  };
  Add("system", valueOf(readText("/etc/os-release"), "PRETTY_NAME="));
#ifdef __GLIBC__
  Add("glibc", gnu_get_libc_version());
#endif
  Add("cpu", valueOf(readText("/proc/cpuinfo"), "model name"));
  struct sysinfo S = {};
  if (sysinfo(&S) == 0) {
    Add("memory", std::to_string(uint64_t(S.totalram) * S.mem_unit));
    Add("swap", std::to_string(uint64_t(S.totalswap) * S.mem_unit));
  }
  if (uint64_t Limit = MemoryGroup::own().limit())
    Add("memory-limit", std::to_string(Limit));
  Add("container", container());
  addDevices(Facts);
  std::vector<std::string> Set;
  for (StringRef Name : memoryVariables())
    if (getenv(Name.data()))
      Set.push_back(Name.str());
  Add("variables", join(Set, ","));
  // The settings of PyTorch's allocator say what a simulation has to repeat.
  for (const char *Name : {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"})
    if (const char *Value = getenv(Name))
      Add(("torch-allocator." + StringRef(Name)).str(),
          StringRef(Value).take_front(MaxSettings).str());
  return Facts;
}
