// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds unwind tables.
//
// Writes .eh_frame and .eh_frame_hdr for functions that need not exist.
// Unreadable memory follows the tables: a read beyond their end crashes.

#ifndef MEMKIT_TEST_UNIT_UNWIND_TABLEBUILDER_H
#define MEMKIT_TEST_UNIT_UNWIND_TABLEBUILDER_H

#include "Unwind/EhFrame.h"

#include <memory>
#include <string>
#include <vector>

namespace memkit::test {

using Bytes = std::vector<uint8_t>;

/// Memory that ends at the end of a page; the next page is unreadable.
class GuardedBytes {
public:
  explicit GuardedBytes(size_t Size);
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes &) = delete;
  GuardedBytes &operator=(const GuardedBytes &) = delete;

  uint8_t *data() const { return Data; }
  capture::AddressRange range() const {
    return {uintptr_t(Data), uintptr_t(Data) + Size};
  }

private:
  void *Mapping;
  size_t MappingSize;
  uint8_t *Data;
  size_t Size;
};

/// CFA = rsp + 8, pc at CFA - 8.
inline Bytes afterCall() { return {0x0c, 7, 8, 0x90, 1}; }

/// The values of a CIE. The defaults are GCC's for x86-64.
struct CommonSpec {
  uint8_t Version = 1;
  std::string Augmentation = "zR";
  uint8_t CodeAlign = 1;
  uint8_t DataAlign = 0x78; ///< -8
  uint8_t ReturnColumn = 16;
  Bytes AugmentationData = Bytes(1, 0x1b);
  uint8_t Encoding = 0x1b; ///< encoding of the functions' starts
  Bytes Program = afterCall();
  bool LongLength = false; ///< 64-bit lengths, in the CIE's FDEs too
};

struct FunctionSpec {
  uint32_t Start; ///< offset in the text
  uint32_t Size;
  Bytes Program;
  unsigned Common = 0; ///< index of the CIE
};

struct TableSpec {
  std::vector<CommonSpec> Commons = {CommonSpec()};
  std::vector<FunctionSpec> Functions; ///< ascending
  bool WithTable = true;               ///< with a search table in the header
};

class UnwindTables {
public:
  explicit UnwindTables(const TableSpec &Spec);

  const capture::EhFrame &tables() const { return Tables; }
  /// The address of the text's byte \p Offset; not mapped.
  uintptr_t pc(uint32_t Offset) const { return Tables.Text.Start + Offset; }
  uint8_t *frames() const { return Frames->data(); }
  size_t frameBytes() const { return FrameBytes; }
  uint8_t *header() const { return Header->data(); }
  size_t headerBytes() const { return HeaderBytes; }
  /// Reads the header again, with only the first \p Frames bytes of the frames
  /// and the first \p Header bytes of the header in bounds.
  capture::EhFrame cut(size_t Frames, size_t Header) const;

private:
  std::unique_ptr<GuardedBytes> Frames, Header;
  size_t FrameBytes, HeaderBytes;
  capture::EhFrame Tables;
};

} // namespace memkit::test

#endif // MEMKIT_TEST_UNIT_UNWIND_TABLEBUILDER_H
