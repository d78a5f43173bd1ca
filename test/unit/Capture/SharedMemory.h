// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory for tests.
//
// A memfd with the layout that the recorder makes, for tests that write and
// read the memory in one process.

#ifndef MEMKIT_TEST_UNIT_CAPTURE_SHAREDMEMORY_H
#define MEMKIT_TEST_UNIT_CAPTURE_SHAREDMEMORY_H

#include "Wire/Layout.h"

#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace memkit {

struct SharedMemory {
  int Fd = -1;
  wire::Regions R = {};
  char *Base = nullptr; ///< the whole mapping, for the reader
  wire::Control *C = nullptr;

  SharedMemory(uint32_t Rings, uint32_t Nodes, uint32_t Codes) {
    uint64_t At = wire::PieceBytes;
    auto Place = [&](uint64_t Bytes) {
      uint64_t Old = At;
      At +=
          (Bytes + wire::PieceBytes - 1) / wire::PieceBytes * wire::PieceBytes;
      return Old;
    };
    R.MaxRings = Rings;
    R.MaxNodes = Nodes;
    R.MaxCodes = Codes;
    R.MaxBinaries = 1024;
    R.RingHeaders = Place(Rings * sizeof(wire::RingHeader));
    R.Rings = Place(Rings * wire::RingBytes);
    R.Nodes = Place(uint64_t(Nodes) * sizeof(wire::Node));
    R.Codes = Place(uint64_t(Codes) * sizeof(wire::Code));
    R.Binaries = Place(R.MaxBinaries * sizeof(wire::MappedBinary));
    R.Size = At;
    Fd = memfd_create("memkit-test", MFD_CLOEXEC);
    if (ftruncate(Fd, off_t(At)) == 0)
      Base = static_cast<char *>(
          mmap(nullptr, At, PROT_READ | PROT_WRITE, MAP_SHARED, Fd, 0));
    C = new (Base) wire::Control();
    C->NextNode = C->NextCode = C->NextBinary = 1;
  }
  ~SharedMemory() {
    munmap(Base, R.Size);
    close(Fd);
  }
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  template <typename T> T *at(uint64_t Offset) {
    return reinterpret_cast<T *>(Base + Offset);
  }
};

} // namespace memkit

#endif // MEMKIT_TEST_UNIT_CAPTURE_SHAREDMEMORY_H
