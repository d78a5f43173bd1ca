// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A binary's unwind tables.
//
// Where the unwind tables of one binary lie, and how they are searched. Nothing
// is allocated or kept: it is a view of bytes that the binary's mapping holds,
// good for as long as the binary is mapped. Any thread, any signal handler.
//
// The bytes are not trusted: no address is read that lies outside of the ranges
// given here.

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

/// One binary's unwind tables; empty until one of the functions below filled
/// it. 72 bytes: worth keeping per binary, for the header is read only once.
struct EhFrame {
  AddressRange Text;   ///< where its code lies: no rule is given outside
  AddressRange Header; ///< .eh_frame_hdr
  AddressRange Frames; ///< readable, and all of .eh_frame lies within
  /// The sorted table of .eh_frame_hdr: pairs of 32-bit offsets from
  /// Header.Start (first address of a function, its FDE). 0: there is none.
  uintptr_t Table = 0;
  /// Where .eh_frame starts, for a scan where there is no table; 0: unknown.
  uintptr_t FirstRecord = 0;
  uint32_t TableSize = 0; ///< of Table, in pairs

  bool usable() const { return TableSize || FirstRecord; }
};

/// The tables of the binary that is loaded with \p Bias and has \p Count
/// program headers at \p Headers (Elf64_Phdr, as dl_iterate_phdr gives them, or
/// as they lie in its first page; untyped, for LLVM's headers cannot bear
/// <elf.h>). False: it has none that can be searched.
bool findEhFrame(const void *Headers, size_t Count, uintptr_t Bias,
                 EhFrame &Tables);

/// The same for a binary without .eh_frame_hdr, whose .eh_frame is known to lie
/// at \p Section (with the bias). False: no readable segment holds all of it.
bool findEhFrame(const void *Headers, size_t Count, uintptr_t Bias,
                 AddressRange Section, EhFrame &Tables);

/// The same from its parts: .eh_frame_hdr, the readable range around .eh_frame,
/// the range of the code.
bool readEhFrame(AddressRange Header, AddressRange Frames, AddressRange Text,
                 EhFrame &Tables);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_EHFRAME_H
