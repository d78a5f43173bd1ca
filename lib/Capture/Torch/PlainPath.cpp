// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paths of modules without wrappers.

#include "PlainPath.h"

#include <cstring>
#include <initializer_list>

using namespace memkit::capture;

static bool isSame(const char *Segment, size_t Bytes, const char *Name) {
  return strlen(Name) == Bytes && !memcmp(Segment, Name, Bytes);
}

static bool isOfWrapper(const char *Segment, size_t Bytes) {
  for (const char *Name :
       {"_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module"})
    if (isSame(Segment, Bytes, Name))
      return true;
  return false;
}

const char *PlainPath::of(const char *Path, const char *Class, bool Spreads) {
  // The length of the spreader's path; the model is after the dot.
  size_t Before = HasSpreader ? strlen(Spreader) : 0;
  bool IsIn = HasSpreader && !strncmp(Path, Spreader, Before);
  size_t ModelAt = Before ? Before + 1 : 0;
  size_t Used = 0;
  bool IsWrapped = false;
  auto Add = [&](const char *Segment, size_t Bytes) {
    if (Used + Bytes + 2 > MaxBytes)
      return;
    if (Used)
      Plain[Used++] = '.';
    memcpy(Plain + Used, Segment, Bytes);
    Used += Bytes;
  };
  for (const char *At = Path; *At;) {
    size_t Bytes = strcspn(At, ".");
    bool IsModel = IsIn && size_t(At - Path) == ModelAt;
    IsWrapped =
        isOfWrapper(At, Bytes) || (IsModel && isSame(At, Bytes, "module"));
    if (!IsWrapped)
      Add(At, Bytes);
    At += Bytes + (At[Bytes] == '.');
  }
  if (IsWrapped)
    Add(Class, strlen(Class));
  Plain[Used] = 0;
  if (Spreads && strlen(Path) < MaxBytes) {
    strcpy(Spreader, Path);
    HasSpreader = true;
  }
  return Plain;
}
