// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A binary's unwind tables.
//
// Finds the unwind tables of one binary, for searches. Allocates nothing: an
// EhFrame is a view of the binary's mapping, valid while the binary is mapped.
// Any thread, any signal handler.
//
// The bytes are not trusted: no address outside the given ranges is read.

#ifndef MEMKIT_CAPTURE_UNWIND_EHFRAME_H
#define MEMKIT_CAPTURE_UNWIND_EHFRAME_H

#include <cstddef>
#include <cstdint>

namespace memkit::capture {

/// Addresses [Start, End).
struct AddressRange {
  uintptr_t Start = 0;
  uintptr_t End = 0;
  bool has(uintptr_t Address) const { return Address - Start < End - Start; }
};

/// One binary's unwind tables; empty until one of the functions below fills it.
/// 72 bytes: worth keeping for each binary, because the header is then read
/// only once.
struct EhFrame {
  AddressRange Text;   ///< the range of the code: no rules outside
  AddressRange Header; ///< .eh_frame_hdr
  AddressRange Frames; ///< readable, and contains all of .eh_frame
  /// The sorted table of .eh_frame_hdr: pairs of 32-bit offsets from
  /// Header.Start (first address of a function, its FDE). 0: no table.
  uintptr_t Table = 0;
  /// The start of .eh_frame, for a scan without a table; 0: unknown.
  uintptr_t FirstRecord = 0;
  uint32_t TableSize = 0; ///< of Table, in pairs

  bool usable() const { return TableSize || FirstRecord; }
};

/// Finds the tables of a binary loaded with \p Bias, with \p Count program
/// headers at \p Headers (Elf64_Phdr, from dl_iterate_phdr or from the binary's
/// first page; untyped, because LLVM's headers conflict with <elf.h>). False:
/// no tables that can be searched.
bool findEhFrame(const void *Headers, size_t Count, uintptr_t Bias,
                 EhFrame &Tables);

/// Finds the tables of a binary without .eh_frame_hdr, with .eh_frame at \p
/// Section (with the bias). False: no readable segment contains \p Section.
bool findEhFrame(const void *Headers, size_t Count, uintptr_t Bias,
                 AddressRange Section, EhFrame &Tables);

/// Finds the tables from .eh_frame_hdr, the readable range around .eh_frame,
/// and the range of the code.
bool readEhFrame(AddressRange Header, AddressRange Frames, AddressRange Text,
                 EhFrame &Tables);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_EHFRAME_H
