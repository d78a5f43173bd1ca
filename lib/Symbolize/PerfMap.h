// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of JIT code.

#ifndef MEMKIT_LIB_SYMBOLIZE_PERFMAP_H
#define MEMKIT_LIB_SYMBOLIZE_PERFMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

/// Looks up addresses in a perf map: the file /tmp/perf-PID.map in which JIT
/// compilers say what they have compiled, a line `START SIZE NAME` for each
/// piece of code, numbers in hexadecimal. Of several that hold an address the
/// last one counts: code is thrown away and its place used again.
///
/// Nothing is kept of the map but the names that are asked for. The bytes are
/// not trusted: a line that makes no sense is passed over, and work and memory
/// are bounded by the number of bytes and of addresses.
class PerfMapScan {
public:
  /// A name is cut behind so many bytes.
  static constexpr size_t MaxNameBytes = 1024;

  /// Addresses ascend.
  explicit PerfMapScan(llvm::ArrayRef<uint64_t> Addresses)
      : Addresses(Addresses), Names(Addresses.size()) {}

  /// The next bytes of the file; lines may be cut anywhere. False: enough, the
  /// map is nonsense that would take too long.
  bool feed(llvm::StringRef Bytes);

  /// The name of the I-th address by the lines that were complete so far, valid
  /// UTF-8; empty when none has it.
  const std::string &name(size_t I) const { return Names[I]; }

private:
  void line(llvm::StringRef Text);

  llvm::ArrayRef<uint64_t> Addresses;
  std::vector<std::string> Names;
  std::string Cut; ///< the begin of a line whose end has not come
  uint64_t Matches = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_PERFMAP_H
