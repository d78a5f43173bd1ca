// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The origin of a record.

#ifndef MEMKIT_LIB_RECORD_RECORDORIGIN_H
#define MEMKIT_LIB_RECORD_RECORDORIGIN_H

#include <cstdint>

namespace memkit {

/// The clock at which a record was written, and the record's ring in the
/// process.
struct RecordOrigin {
  uint64_t Tsc;
  uint32_t Ring;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RECORDORIGIN_H
