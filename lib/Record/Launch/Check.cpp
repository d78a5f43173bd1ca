// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports what can be recorded on this machine.

#include "Check.h"
#include "DeviceList.h"
#include "Session/Greeter.h"
#include "Shared/MachineFacts.h"
#include "Shared/Preloadable.h"
#include "Shared/SharedProcess.h"
#include "memkit/Support/Format.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// Why the capture library cannot be used, or an empty string.
static std::string whyNoLibrary(const std::string &Library) {
  if (access(Library.c_str(), R_OK) != 0)
    return Library + ": " + strerror(errno);
  auto File = object::ObjectFile::createObjectFile(Library);
  if (!File)
    return Library + ": " + toString(File.takeError());
  return "";
}

static bool opens(const std::string &Name) {
  void *Library = dlopen(Name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (Library)
    dlclose(Library);
  return Library != nullptr;
}

/// One line about the recording of CUDA's driver.
static std::string checkCuda(const std::string &Library) {
  std::string Cuda =
      (sys::path::parent_path(Library) + "/libmemrec-cuda.so").str();
  if (access(Cuda.c_str(), R_OK) != 0)
    return "CUDA: no: " + Cuda + ": " + strerror(errno) +
           " (needs CUDA's headers at build time)";
  if (!opens("libcuda.so.1"))
    return "CUDA: no: no driver (libcuda.so.1)";
  for (const char *Version : {"13", "12", "11.8", "11.7", "11.6", "11.5"})
    if (std::string Name = std::string("libcupti.so.") + Version; opens(Name))
      return "CUDA: yes: driver memory, through " + Name;
  return "CUDA: yes: driver memory, in programs that bring libcupti (as "
         "PyTorch does), or with CUDA_HOME or /usr/local/cuda; none on the "
         "loader's path";
}

bool memkit::checkRecording(const std::string &Library,
                            function_ref<void(const Twine &)> Print) {
  bool Can = true;
  if (std::string Why = whyNoLibrary(Library); !Why.empty()) {
    Print("host heap: no: " + Why);
    Can = false;
  }
  auto Listener = Greeter::create();
  if (!Listener) {
    Print("socket: no: " + toString(Listener.takeError()));
    Can = false;
  }
  auto Shared = SharedProcess::create(1, ProcessSettings(), "memkit.check");
  if (!Shared) {
    Print("shared memory: no: " + toString(Shared.takeError()));
    Can = false;
  } else {
    Print("shared memory: yes, up to " + Twine((*Shared)->size() >> 20) +
          " MiB a process, as it fills");
  }
  if (Can)
    Print(
        "host heap: yes: malloc, calloc, realloc, free and similar functions, "
        "operator new and delete");
  Print("native stacks: yes, by the unwind tables of the program's binaries");
  Print("python stacks: yes, merged with the native ones: CPython, as each "
        "process starts (-v says which; other Pythons have native stacks)");
  Print(checkCuda(Library));
  for (const std::string &Line : deviceLines())
    Print(Line);
  for (const std::string &Text : machineFacts()) {
    auto [Name, Value] = StringRef(Text).split('=');
    uint64_t Bytes = 0;
    bool IsSize = Name == "memory" || Name == "swap" || Name == "memory-limit";
    Print("machine: " + Name + " " +
          (IsSize && !Value.getAsInteger(10, Bytes) ? formatSize(Bytes)
                                                    : Value.str()));
  }
  Print("not recorded: static, set-user-id and set-capability programs, those "
        "of another ELF class, those linked with a sanitizer");
  return Can;
}
