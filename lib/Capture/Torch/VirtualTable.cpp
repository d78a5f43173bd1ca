// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of virtual functions.

#include "VirtualTable.h"

#include "Stacks/Loader.h"
#include "Stacks/MappedElf.h"

#include <cstddef>
#include <link.h>

using namespace memkit;
using namespace memkit::capture;

static bool findObject(const void *P, FoundObject &O) {
  return Loader.find(uintptr_t(P), O);
}

/// Is P in an executable segment of a loaded binary?
static bool isCode(const void *P) {
  FoundObject O;
  if (!P || !findObject(P, O))
    return false;
  uintptr_t Bias = static_cast<link_map *>(O.LinkMap)->l_addr;
  size_t Count = 0;
  const Elf64_Phdr *H = programHeaders(uintptr_t(O.MapStart), Count);
  for (size_t I = 0; H && I != Count; ++I)
    if (H[I].p_type == PT_LOAD && H[I].p_flags & PF_X &&
        uintptr_t(P) - Bias - H[I].p_vaddr < H[I].p_memsz)
      return true;
  return false;
}

const char *capture::className(void *const *Functions) {
  FoundObject O;
  auto *Type = static_cast<const char *const *>(Functions[-1]);
  const char *Name = Type && findObject(Type, O) ? Type[1] : nullptr;
  return Name && findObject(Name, O) ? Name : "";
}

unsigned capture::countFunctions(void *const *Functions, unsigned Max) {
  unsigned N = 0;
  while (N != Max && isCode(Functions[N]))
    ++N;
  return N;
}
