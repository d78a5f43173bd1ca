// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the CUDA library holds.

#ifndef MEMKIT_CAPTURE_CUDA_INJECTION_H
#define MEMKIT_CAPTURE_CUDA_INJECTION_H

#include "Cuda/Table.h"

namespace memkit::capture::cuda {

/// libmemrec.so's; set before anything else of this library runs.
extern const Table *Memrec;
/// Writes a record of DeviceRecords.h; see Table::Write.
template <class T>
void writeRecord(const T &What, const Frame *Caller = nullptr,
                 const wire::DeviceDetailRecord *Detail = nullptr) {
  Memrec->Write(wire::encode(What), Detail, Caller);
}

/// Before what a wrapper does: whether Memrec is set. Sets it where the driver
/// has not called us.
bool hasBegun();

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_INJECTION_H
