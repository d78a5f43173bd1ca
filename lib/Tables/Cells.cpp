// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of single values, for renderers.

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

RowList::~RowList() = default;

std::optional<StringRef> textIn(const TableCell &C) {
  if (auto *Text = std::get_if<StringRef>(&C))
    return *Text;
  if (auto *Text = std::get_if<std::string>(&C))
    return StringRef(*Text);
  return std::nullopt;
}

TableCell BatchRows::cell(size_t Row, size_t Column) const {
  const ColumnInfo &Info = columns()[Column];
  const ColumnData &Data = Batch.Columns[Column];
  if (Data.Valid && !bitAt(Data.Valid, Row))
    return {};
  switch (Info.Type) {
  case ColumnType::Int64:
    return valueAt<int64_t>(Data.Values, Row);
  case ColumnType::UInt32:
    return uint64_t(valueAt<uint32_t>(Data.Values, Row));
  case ColumnType::Float64:
    return valueAt<double>(Data.Values, Row);
  case ColumnType::Flag:
    return bitAt(Data.Values, Row);
  case ColumnType::Choice:
    return (*Info.Choices)[size_t(valueAt<int32_t>(Data.Values, Row))];
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
