// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compression as gzip.

#include "Gzip.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/EndianStream.h"

using namespace llvm;

namespace memkit {

void writeGzip(raw_ostream &OS, StringRef Bytes) {
  if (!compression::zlib::isAvailable()) {
    OS << Bytes;
    return;
  }
  SmallVector<uint8_t, 0> Zlib;
  compression::zlib::compress(arrayRefFromStringRef(Bytes), Zlib);
  // zlib's format has the deflated data between a header of 2 bytes and a
  // checksum of 4 bytes.
  StringRef Deflated = toStringRef(Zlib).drop_front(2).drop_back(4);
  OS << StringRef("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10) << Deflated;
  support::endian::Writer To(OS, endianness::little);
  To.write<uint32_t>(crc32(arrayRefFromStringRef(Bytes)));
  To.write<uint32_t>(static_cast<uint32_t>(Bytes.size()));
}

} // namespace memkit
