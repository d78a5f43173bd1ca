// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the fields of a row, for all code that walks over fields.
//
// A row of a Summary or Partial has a static function fields(), which returns a
// tuple of RowField in the order of the row's table in schemas/trace.fbs.
// Encoding, decoding, checks of ids, the text form and JSON, and the comparison
// of `memdump --check` walk this list. To add a field, add the field to the
// schema, to the struct and to its fields().

#ifndef MEMKIT_TRACE_ROWFIELD_H
#define MEMKIT_TRACE_ROWFIELD_H

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace memkit {

/// The dictionary's tables of ids.
enum class IdKind : uint8_t {
  String,
  Device,
  Binary,
  Function,
  Frame,
  Node,
  Stack,
  Scope,
  ScopePath,
  Process,
  Thread,
  Heap,
};
inline constexpr unsigned NumIdKinds = 12;

/// The position of a field in a line of the text form.
enum class TextPlace : uint8_t {
  Named, ///< `name=value`, in the order of the list
  First, ///< as Named, before all others
  Key,   ///< the value alone, before all others
};

/// A field. Each function returns a changed copy, so a list reads
/// `rowField("heap", &T::Id).id(IdKind::Heap, "totals of heap").key()`.
template <class Row, class T> struct RowField {
  std::string_view Name; ///< in the text form: `peak-bytes`
  T Row::*Member = nullptr;
  TextPlace Place = TextPlace::Named;
  /// The text form omits this value.
  std::conditional_t<std::is_scalar_v<T>, T, int> Default{};
  // Of ids.
  bool IsId = false;
  bool MayBeNone = false; ///< 0 is allowed
  IdKind Ids = IdKind::String;
  const char *IdWords = ""; ///< before an id that is out of range
  // Of numbers that events can give.
  bool IsChecked = false;
  std::string_view Words; ///< for differences; empty: Name with blanks
  /// Of columns: another column with mostly equal values; the file stores the
  /// difference from it.
  T Row::*Base = nullptr;

  constexpr RowField key() const {
    return with(&RowField::Place, TextPlace::Key);
  }
  constexpr RowField first() const {
    return with(&RowField::Place, TextPlace::First);
  }
  constexpr RowField orElse(T V) const { return with(&RowField::Default, V); }
  constexpr RowField base(T Row::*M) const { return with(&RowField::Base, M); }
  constexpr RowField words(std::string_view W) const {
    return with(&RowField::Words, W);
  }
  constexpr RowField checked() const {
    return with(&RowField::IsChecked, true);
  }
  constexpr RowField id(IdKind Kind, const char *What) const {
    RowField F = *this;
    F.IsId = true;
    F.Ids = Kind;
    F.IdWords = What;
    return F;
  }
  constexpr RowField idOrNone(IdKind Kind, const char *What) const {
    return id(Kind, What).with(&RowField::MayBeNone, true);
  }

private:
  template <class V> constexpr RowField with(V RowField::*M, V Value) const {
    RowField F = *this;
    F.*M = Value;
    return F;
  }
};

template <class Row, class T>
constexpr RowField<Row, T> rowField(std::string_view Name, T Row::*Member) {
  RowField<Row, T> F;
  F.Name = Name;
  F.Member = Member;
  return F;
}
/// A field that checks compare with the value from the events.
template <class Row, class T>
constexpr RowField<Row, T> checkedField(std::string_view Name, T Row::*Member) {
  return rowField(Name, Member).checked();
}

template <class Row>
inline constexpr size_t NumFields =
    std::tuple_size_v<decltype(std::remove_cvref_t<Row>::fields())>;

/// Calls F for each field of Row in order, as
/// `F(std::integral_constant<size_t, I>)`: fieldAt<Row, I> is the field, a
/// constant.
template <class Row, class F> constexpr void forEachField(F Do) {
  [&]<size_t... I>(std::index_sequence<I...>) {
    (Do(std::integral_constant<size_t, I>()), ...);
  }(std::make_index_sequence<NumFields<Row>>());
}
template <class Row, size_t I>
inline constexpr auto fieldAt = std::get<I>(std::remove_cvref_t<Row>::fields());

} // namespace memkit

#endif // MEMKIT_TRACE_ROWFIELD_H
