// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables of Keras's layers.

#include "KerasVariables.h"

#include "Python/PythonCalls.h"
#include "Runtime/Recording.h"
#include "Runtime/Thread.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;
using wire::LayerTensorRecord;

/// The bytes of an element of `float32`, `bfloat16`, `bool`; 0: not known.
static uint8_t elementBytes(const char *Dtype) {
  if (!strcmp(Dtype, "bool"))
    return 1;
  const char *Digit = strpbrk(Dtype, "123456789");
  unsigned Bits = 0;
  for (; Digit && *Digit >= '0' && *Digit <= '9' && Bits < 1000; ++Digit)
    Bits = Bits * 10 + unsigned(*Digit - '0');
  return Bits % 8 == 0 && Bits <= 512 ? uint8_t(Bits / 8) : 0;
}

/// The product of the numbers of a shape.
static uint64_t elementsOf(void *Shape) {
  uint64_t Elements = 1;
  void *Each = Shape ? Py.Iterate(Shape) : nullptr;
  while (void *Size = Each ? Py.Next(Each) : nullptr) {
    Elements *= uintptr_t(Py.ToPointer(Size));
    Py.Drop(Size);
  }
  if (!Each)
    return 0;
  Py.Drop(Each);
  return Elements;
}

static void reportVariable(void *Variable, uint32_t Layer, bool IsBuffer) {
  void *Dtype = Py.GetAttribute(Variable, "dtype");
  const char *Name = Dtype ? Py.Utf8(Dtype) : nullptr;
  void *Shape = Name ? Py.GetAttribute(Variable, "shape") : nullptr;
  uint64_t Elements = elementsOf(Shape);
  uint8_t Bytes = Name ? elementBytes(Name) : 0;
  ThreadState *T = recordingThread();
  if (T && Elements && Bytes && hasRoom(*T))
    T->Ring.write(LayerTensorRecord{
        uintptr_t(Variable), Elements & wire::Record::MaxSize,
        uint8_t(Bytes | (IsBuffer ? LayerTensorRecord::BufferBit : 0)), Layer,
        Proc.Names.intern(Name, strlen(Name))});
  for (void *P : {Shape, Dtype})
    if (P)
      Py.Drop(P);
  Py.ClearError();
}

static void reportList(void *Layer, const char *Attribute, uint32_t Name,
                       bool IsBuffer) {
  void *List = Py.GetAttribute(Layer, Attribute);
  void *Each = List ? Py.Iterate(List) : nullptr;
  while (void *Variable = Each ? Py.Next(Each) : nullptr) {
    reportVariable(Variable, Name, IsBuffer);
    Py.Drop(Variable);
  }
  for (void *P : {Each, List})
    if (P)
      Py.Drop(P);
  Py.ClearError();
}

void tf::reportVariables(void *Layer, uint32_t Name) {
  ThreadState *T = recordingThread();
  if (!T || !hasRoom(*T))
    return;
  T->Ring.write(LayerTensorRecord{0, 0, 0, Name, 0});
  reportList(Layer, "_trainable_variables", Name, /*IsBuffer=*/false);
  reportList(Layer, "_non_trainable_variables", Name, /*IsBuffer=*/true);
}
