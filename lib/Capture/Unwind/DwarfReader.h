// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of unwind tables, read with bounds.
//
// A cursor over bytes that may be corrupt. A read past the end returns zeros,
// leaves the cursor at the end and sets an error: callers check once, by ok().

#ifndef MEMKIT_CAPTURE_UNWIND_DWARFREADER_H
#define MEMKIT_CAPTURE_UNWIND_DWARFREADER_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace memkit::capture {

/// Bytes [Start, Start + Size) of a table.
struct ByteSpan {
  const uint8_t *Start = nullptr;
  uint32_t Size = 0;
};

/// The encoding of a pointer: the format in the low four bits, the base in the
/// next three.
struct PointerEncoding {
  enum : uint8_t {
    Absolute = 0x00,
    Uleb = 0x01,
    Udata2 = 0x02,
    Udata4 = 0x03,
    Udata8 = 0x04,
    Sleb = 0x09,
    Sdata2 = 0x0a,
    Sdata4 = 0x0b,
    Sdata8 = 0x0c,
    FormatMask = 0x0f,
    PcRelative = 0x10,
    DataRelative = 0x30,
    Aligned = 0x50,
    BaseMask = 0x70,
    Indirect = 0x80,
    Omitted = 0xff,
  };
};

class DwarfReader {
public:
  DwarfReader(const uint8_t *Start, const uint8_t *End) : At(Start), End(End) {}

  bool ok() const { return !Bad; }
  bool done() const { return At >= End; }
  const uint8_t *at() const { return At; }
  size_t left() const { return size_t(End - At); }

  uint8_t byte() {
    if (__builtin_expect(At >= End, 0))
      return fail();
    return *At++;
  }
  uint16_t u16() { return fixed<uint16_t>(); }
  uint32_t u32() { return fixed<uint32_t>(); }
  uint64_t u64() { return fixed<uint64_t>(); }

  template <typename T> T fixed() {
    T Value;
    if (__builtin_expect(left() < sizeof(T), 0))
      return T(fail());
    memcpy(&Value, At, sizeof(T));
    At += sizeof(T);
    return Value;
  }

  /// Bits above the 64th are dropped.
  uint64_t uleb() {
    uint64_t First = byte();
    return __builtin_expect(First < 0x80, 1) ? First : moreUleb(First & 0x7f);
  }
  int64_t sleb() {
    uint64_t First = byte();
    if (__builtin_expect(First < 0x80, 1))
      return int64_t(First << 57) >> 57;
    return moreSleb(First & 0x7f);
  }

  void skip(uint64_t Bytes) {
    if (__builtin_expect(Bytes > left(), 0))
      fail();
    else
      At += Bytes;
  }

  /// A length and as many bytes.
  ByteSpan block() {
    uint64_t Size = uleb();
    const uint8_t *Start = At;
    skip(Size);
    if (Bad || Size > UINT32_MAX)
      return {};
    return {Start, uint32_t(Size)};
  }

  /// A pointer in \p Encoding, not followed even if Indirect. 0 is no pointer,
  /// with any base. Fails for bases other than none, the pointer itself and \p
  /// DataBase.
  uint64_t pointer(uint8_t Encoding, uintptr_t DataBase = 0);

  /// Marks the bytes as corrupt.
  uint8_t fail() {
    At = End;
    Bad = true;
    return 0;
  }

private:
  uint64_t moreUleb(uint64_t Value);
  int64_t moreSleb(uint64_t Value);
  uint64_t pointerValue(uint8_t Format);

  const uint8_t *At;
  const uint8_t *End;
  bool Bad = false;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_DWARFREADER_H
