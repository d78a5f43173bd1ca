// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of a process that a tool forks.

#include "Support/OwnName.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdio>
#include <cstring>
#include <sys/prctl.h>

using namespace llvm;

void memkit::setOwnName(StringLiteral Name) {
  prctl(PR_SET_NAME, Name.data());
  // The 48th and 49th field: where the kernel reads the command line.
  unsigned long Begin = 0, End = 0;
  if (FILE *F = fopen("/proc/self/stat", "re")) {
    char Line[2048] = {};
    size_t Length = fread(Line, 1, sizeof(Line) - 1, F);
    fclose(F);
    SmallVector<StringRef, 64> Fields;
    // A program's name may contain blanks and brackets.
    StringRef(Line, Length).rsplit(") ").second.split(Fields, ' ');
    if (Fields.size() < 47 || Fields[45].getAsInteger(10, Begin) ||
        Fields[46].getAsInteger(10, End))
      return;
  }
  if (!Begin || End <= Begin + Name.size())
    return;
  auto *Text = reinterpret_cast<char *>(Begin);
  memset(Text, 0, End - Begin);
  memcpy(Text, Name.data(), Name.size());
}
