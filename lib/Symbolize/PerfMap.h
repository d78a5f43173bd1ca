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
/// compilers list their code. Each piece of code has a line `START SIZE NAME`
/// with hexadecimal numbers. If several lines contain an address, the last one
/// counts: JIT compilers discard code and reuse its addresses.
///
/// Keeps only the names of the requested addresses. The input is not trusted:
/// malformed lines are skipped, and work and memory are bounded by the number
/// of bytes and of addresses.
class PerfMapScan {
public:
  /// Longer names are cut.
  static constexpr size_t MaxNameBytes = 1024;

  /// Addresses must be sorted ascending.
  explicit PerfMapScan(llvm::ArrayRef<uint64_t> Addresses)
      : Addresses(Addresses), Names(Addresses.size()) {}

  /// Takes the next bytes of the file, which may end within a line. False:
  /// stop, the map is malformed and would take too long.
  bool feed(llvm::StringRef Bytes);

  /// The name of the I-th address in the lines read so far, as valid UTF-8;
  /// empty if no line contains the address.
  const std::string &name(size_t I) const { return Names[I]; }

private:
  void line(llvm::StringRef Text);

  llvm::ArrayRef<uint64_t> Addresses;
  std::vector<std::string> Names;
  std::string Cut; ///< the begin of an incomplete line
  uint64_t Matches = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_PERFMAP_H
