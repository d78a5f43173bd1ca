// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names as programmers write them.

#include "DemangledName.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include <cstdlib>
#include <cxxabi.h>

using namespace llvm;
using namespace memkit;

std::string memkit::demangledName(const std::string &Name,
                                  const symbolize::SymbolizableModule *Of) {
  std::string Out = symbolize::LLVMSymbolizer::DemangleName(Name, Of);
  // LLVM cannot read names of g++ 12 with a condition on a member of a template
  // (`XntsrSt8is_array...` of std::make_shared); the C++ library can.
  constexpr size_t MaxLength = 2048;
  if (Out != Name || !StringRef(Name).starts_with("_Z") ||
      Name.size() > MaxLength)
    return Out;
  int Status = 0;
  if (char *Text =
          abi::__cxa_demangle(Name.c_str(), nullptr, nullptr, &Status)) {
    Out = Text;
    std::free(Text);
  }
  return Out;
}
