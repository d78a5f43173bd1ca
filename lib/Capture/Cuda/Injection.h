// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of the CUDA library.

#ifndef MEMKIT_CAPTURE_CUDA_INJECTION_H
#define MEMKIT_CAPTURE_CUDA_INJECTION_H

#include "Cuda/Table.h"

namespace memkit::capture::cuda {

/// The table of libmemrec.so; set before other code of this library runs.
extern const CaptureTable *Memrec;
/// Writes a record of DeviceRecords.h; see Table::Write.
template <class T>
void writeRecord(const T &What, const CallerFrame *Caller = nullptr,
                 const wire::DeviceDetailRecord *Detail = nullptr) {
  Memrec->Write(wire::encode(What), Detail, Caller);
}

/// Is Memrec set? Called at the start of a wrapper; sets Memrec if the driver
/// has not called this library.
bool hasBegun();

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_INJECTION_H
