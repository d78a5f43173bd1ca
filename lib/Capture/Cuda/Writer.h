// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes records by the table of libmemrec.so.

#ifndef MEMKIT_CAPTURE_CUDA_WRITER_H
#define MEMKIT_CAPTURE_CUDA_WRITER_H

#include "Cuda/Table.h"

namespace memkit::capture::cuda {

/// The table of libmemrec.so; set before other code of this library runs.
extern const CaptureTable *Memrec;
/// Writes a record of DeviceRecords.h or DeviceTimeRecords.h; see
/// Table::Write.
template <class T>
void writeRecord(const T &What, const CallerFrame *Caller = nullptr,
                 const wire::DeviceDetailRecord *Detail = nullptr) {
  Memrec->Write(wire::encode(What), Detail, Caller);
}

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_WRITER_H
