// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names the memrec options that record what a trace lacks.

#include "Advice.h"

using namespace llvm;

namespace memkit {

StringRef adviceFor(RequestError::RequestErrorKind Kind) {
  switch (Kind) {
  case RequestError::RequestErrorKind::Malformed:
  case RequestError::RequestErrorKind::NoAnswer:
    return "";
  case RequestError::RequestErrorKind::NoSteps:
    return "; record steps with memkit.step(), a PyTorch optimizer or memrec "
           "--step=REGEX";
  case RequestError::RequestErrorKind::NoCategories:
    return "; memrec records them in programs with PyTorch (--torch)";
  case RequestError::RequestErrorKind::NoDtypes:
    return "; memrec records them of TensorFlow, and of PyTorch with "
           "--torch=shapes";
  }
  llvm_unreachable("all kinds are handled");
}

ShownFrame arenasFrame() {
  ShownFrame F;
  F.Function = F.Label = "Python objects, line unknown: memrec "
                         "--python-objects records them";
  return F;
}

StringRef undecidedText() {
  return "loaded, cached or leaked: nothing shows that the program repeats "
         "itself; steps (memkit.step(), memrec --step=REGEX) or a longer run "
         "may decide";
}

} // namespace memkit
