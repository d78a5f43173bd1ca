// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the header of a file alone.

#include "memkit/Trace/ReadHeader.h"
#include "memkit/Trace/TraceReader.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace memkit;

std::optional<Header> memkit::readHeader(StringRef Path) {
  // What is read from a pipe is gone.
  if (!sys::fs::is_regular_file(Path))
    return std::nullopt;
  Expected<std::unique_ptr<SectionStream>> Stream = SectionStream::open(Path);
  if (!Stream) {
    consumeError(Stream.takeError());
    return std::nullopt;
  }
  Expected<std::optional<AnySection>> First = (*Stream)->next();
  if (!First) {
    consumeError(First.takeError());
    return std::nullopt;
  }
  if (!*First || !std::holds_alternative<Header>(**First))
    return std::nullopt;
  return std::get<Header>(std::move(**First));
}
