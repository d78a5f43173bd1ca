// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the decoder of sections.
//
// Decodes a sequence of raw (not compressed) sections as a reader does after
// decompression, so no checksum stands in the way. A decoded section must obey
// the limits of Sections.h and must be writable again.

#include "Decode.h"
#include "Encode.h"
#include "memkit/Trace/TraceReader.h"
#include <cstdlib>

using namespace memkit;

static void writeAgain(Encoder &Encode, const IdLimits &Limits,
                       const AnySection &Block) {
  std::visit(
      [&](const auto &B) {
        using T = std::decay_t<decltype(B)>;
        if constexpr (std::is_same_v<T, Events>) {
          if (B.Rows.size() > MaxSectionRows)
            abort();
          if (Limits.check(B).empty())
            (void)Encode.encode(B);
        } else if constexpr (!std::is_same_v<T, std::monostate>) {
          (void)Encode.encode(B);
        }
      },
      Block);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  Decoder Decode;
  Encoder Encode;
  IdLimits Limits;
  Bytes Left(Data, Size);
  while (Left.size() > 4) {
    uint32_t Length;
    memcpy(&Length, Left.data(), 4);
    size_t Take = std::min<size_t>(size_t(Length) + 4, Left.size());
    // A FlatBuffer must be aligned.
    std::vector<uint8_t> Raw(Left.begin(), Left.begin() + Take);
    Left = Left.drop_front(Take);
    SectionKind Kind;
    AnySection Block;
    if (!Decode.open(Raw, Kind).empty() || !Decode.decode(Block).empty())
      break;
    if (auto *D = std::get_if<Dictionary>(&Block))
      if (!Limits.add(*D).empty())
        break;
    writeAgain(Encode, Limits, Block);
  }
  return 0;
}
