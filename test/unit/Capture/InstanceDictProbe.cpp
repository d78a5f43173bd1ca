// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exports InstanceDict to ctypes.

#include "Torch/InstanceDict.h"

static memkit::capture::InstanceDict Dicts;

extern "C" {
int learn(uintptr_t Object, uintptr_t Dict, uintptr_t Known, unsigned Minor) {
  Dicts.learn(Object, Dict, Known, Minor);
  return Dicts.isKnown();
}
int has(uintptr_t Object, uintptr_t Value) {
  return Dicts.read(Object).has(Value);
}
}
