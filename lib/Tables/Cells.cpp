// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single values of a table, for renderers.

#include "Cells.h"

using namespace llvm;

namespace memkit {

template <class T> static T valueAt(const Buffer &Of, size_t Row) {
  return reinterpret_cast<const T *>(Of.get())[Row];
}

static bool bitAt(const Buffer &Of, size_t Row) {
  constexpr size_t Bits = 8;
  return Of.get()[Row / Bits] >> (Row % Bits) & 1;
}

TableCell cellOf(const ColumnInfo &Of, const ColumnData &Data, size_t Row) {
  if (Data.Valid && !bitAt(Data.Valid, Row))
    return {};
  switch (Of.Type) {
  case ColumnType::Int64:
    return valueAt<int64_t>(Data.Values, Row);
  case ColumnType::UInt32:
    return int64_t(valueAt<uint32_t>(Data.Values, Row));
  case ColumnType::Float64:
    return valueAt<double>(Data.Values, Row);
  case ColumnType::Flag:
    return bitAt(Data.Values, Row);
  case ColumnType::Choice:
    return (*Of.Choices)[size_t(valueAt<int32_t>(Data.Values, Row))];
  case ColumnType::Text: {
    auto Begin = size_t(valueAt<int32_t>(Data.Offsets, Row)),
         End = size_t(valueAt<int32_t>(Data.Offsets, Row + 1));
    return StringRef(reinterpret_cast<const char *>(Data.Values.get()) + Begin,
                     End - Begin);
  }
  }
  llvm_unreachable("all types of columns are handled");
}

ColumnUnit unitOf(StringRef Name) {
  if (Name == "bytes" || Name.ends_with("_bytes"))
    return ColumnUnit::Bytes;
  if (Name.ends_with("_ns"))
    return ColumnUnit::Ns;
  return Name.ends_with("_ppm") ? ColumnUnit::Millionths : ColumnUnit::None;
}

} // namespace memkit
