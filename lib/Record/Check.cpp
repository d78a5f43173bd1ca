//===- Check.cpp - What can be recorded here -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Greeter.h"
#include "SharedImage.h"
#include "memkit/Record/Preloadable.h"
#include "memkit/Record/Recorder.h"
#include "llvm/Object/ELFObjectFile.h"
#include <cerrno>
#include <cstring>
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
  if (Library.find_first_of(" :") != std::string::npos)
    return Library + ": a name with a blank or colon cannot be preloaded";
  return "";
}

bool memkit::checkRecording(const std::string &Library,
                            function_ref<void(const Twine &)> Print) {
  bool Can = true;
  if (std::string Why = whyNoLibrary(Library); !Why.empty()) {
    Print("host heap: no: " + Why);
    Can = false;
  }
  auto Door = Greeter::create();
  if (!Door) {
    Print("socket: no: " + toString(Door.takeError()));
    Can = false;
  }
  auto Shared = SharedImage::create(1, ImageSettings(), "memkit.check");
  if (!Shared) {
    Print("shared memory: no: " + toString(Shared.takeError()));
    Can = false;
  } else {
    Print("shared memory: yes, up to " + Twine((*Shared)->size() >> 20) +
          " MiB a process, as it fills");
  }
  if (Can)
    Print(
        "host heap: yes: malloc, calloc, realloc, free and their kin, operator "
        "new and delete");
  Print("native stacks: yes, by the unwind tables of the program's modules");
  Print("python stacks: yes, merged with the native ones: CPython, as each "
        "process starts (-v says which; other Pythons have native stacks)");
  Print("not recorded: static, set-user-id and set-capability programs, those "
        "of another ELF class, those linked with a sanitizer");
  return Can;
}
