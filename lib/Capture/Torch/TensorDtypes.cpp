// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the dtype of the tensor in each block of PyTorch.

#include "TensorDtypes.h"

#include "Wire/TensorRecords.h"

using namespace memkit;
using namespace memkit::capture;

__attribute__((noinline)) void
TensorDtypes::record(ThreadState &T, uint64_t Address, uint16_t Dtype) {
  std::atomic<uint64_t> *Of = Table.load(std::memory_order_acquire);
  if (!Of) {
    constexpr size_t Bytes = NumSlots * sizeof(*Of);
    auto *Mine = static_cast<std::atomic<uint64_t> *>(sys::mapPrivate(Bytes));
    if (!Mine)
      return;
    if (Table.compare_exchange_strong(Of, Mine, std::memory_order_acq_rel))
      Of = Mine;
    else
      sys::unmap(Mine, Bytes);
  }
  if (!hasRoom(T))
    return;
  Of[slot(Address)].store(Address, std::memory_order_relaxed);
  T.Ring.write(wire::TensorDtypeRecord{Address, Dtype});
}
