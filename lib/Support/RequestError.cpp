// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of a caller's request.

#include "memkit/Support/RequestError.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace memkit {

char RequestError::ID = 0;

StringRef fieldName(RequestField Field) {
  switch (Field) {
  case RequestField::None:
    return "";
  case RequestField::Heaps:
    return "heap";
  case RequestField::Processes:
    return "process";
  case RequestField::Threads:
    return "thread";
  case RequestField::Stacks:
    return "stack";
  case RequestField::ScopePaths:
    return "scope";
  case RequestField::Layers:
    return "layer";
  case RequestField::Since:
    return "since";
  case RequestField::Until:
    return "until";
  case RequestField::At:
    return "at";
  case RequestField::Renames:
    return "map";
  case RequestField::Binaries:
    return "exe";
  case RequestField::PerfMaps:
    return "perf-map";
  case RequestField::PythonObjects:
    return "python-objects";
  case RequestField::Overwrite:
    return "force";
  }
  llvm_unreachable("all fields are handled");
}

std::string
RequestError::text(function_ref<std::string(RequestField)> NameOf) const {
  auto Words = [&](const RequestPart &P) {
    if (P.Field == RequestField::None)
      return std::string();
    return NameOf(P.Field) + (P.Value.empty() ? "" : "=" + P.Value);
  };
  return Words(Of) + What + Words(Than);
}

void RequestError::log(raw_ostream &OS) const {
  OS << text([](RequestField Field) { return fieldName(Field).str(); });
}

std::error_code RequestError::convertToErrorCode() const {
  return std::make_error_code(std::errc::invalid_argument);
}

} // namespace memkit
