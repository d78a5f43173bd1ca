// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a row's list of fields is that of its table in the schema.

#ifndef MEMKIT_LIB_TRACE_ROWTABLES_H
#define MEMKIT_LIB_TRACE_ROWTABLES_H

#include "memkit/Trace/RowField.h"
#include <algorithm>
#include <string_view>

namespace memkit {

/// Whether Text, a name of the text form (`peak-time`), is the field Schema
/// (`peak_time_ns`): names of times have no unit in the text form.
constexpr bool isSameField(std::string_view Text, std::string_view Schema) {
  if (Schema.ends_with("_ns"))
    Schema.remove_suffix(3);
  return std::equal(Text.begin(), Text.end(), Schema.begin(), Schema.end(),
                    [](char T, char S) { return (T == '-' ? '_' : T) == S; });
}

/// Whether Row::fields() lists the fields of Table from number First on, all of
/// them and in order. A wrong list would read and write other fields than those
/// it names.
template <class Table, class Row, size_t First = 0>
constexpr bool listsFields() {
  if (NumFields<Row> + First != Table::Traits::fields_number)
    return false;
  bool Same = true;
  forEachField<Row>([&](auto I) {
    Same &= isSameField(fieldAt<Row, I>.Name,
                        Table::Traits::field_names[First + I]);
  });
  return Same;
}

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_ROWTABLES_H
