// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for all decoders.

#ifndef MEMKIT_LIB_TRACE_DECODEHELPERS_H
#define MEMKIT_LIB_TRACE_DECODEHELPERS_H

#include "Decode.h"

namespace memkit {

/// Returns from the enclosing function if EXPR yields a problem.
#define TRY(EXPR)                                                              \
  do {                                                                         \
    if (Problem P_ = (EXPR); !P_.empty())                                      \
      return P_;                                                               \
  } while (false)

/// A problem, in strict mode, if T has a field after Last, the VT_ constant of
/// the last known field.
template <class Table>
Decoder::Problem Decoder::known(const Table *T, unsigned Last) {
  if (!Strict)
    return {};
  auto *Data = reinterpret_cast<const uint8_t *>(T);
  const uint8_t *Fields =
      Data - flatbuffers::ReadScalar<flatbuffers::soffset_t>(Data);
  auto Size = flatbuffers::ReadScalar<flatbuffers::voffset_t>(Fields);
  for (unsigned At = Last + 2; At + 2 <= Size; At += 2)
    if (flatbuffers::ReadScalar<flatbuffers::voffset_t>(Fields + At))
      return "a field that this version does not know; a newer memkit wrote it";
  return {};
}

inline Decoder::Problem Decoder::unknown(UnknownValues::Of Where,
                                         const char *Enumeration,
                                         unsigned Value) {
  if (Strict)
    return std::string("unknown ") + Enumeration + " " + std::to_string(Value) +
           "; a newer memkit wrote it";
  ++Unknown.Counts[Where];
  return {};
}

inline Decoder::Problem Decoder::charge(size_t Bytes) {
  Charged += Bytes;
  return Charged > 2 * size_t(MaxSectionBytes) ? "a section that repeats itself"
                                               : "";
}

inline Decoder::Problem Decoder::copyText(const flatbuffers::String *From,
                                          std::string &To) {
  To.clear();
  if (!From)
    return {};
  TRY(charge(From->size()));
  To = From->str();
  return {};
}

template <class V, class T>
Decoder::Problem Decoder::copyVector(const V *From, T &To) {
  To.clear();
  if (!From)
    return {};
  TRY(charge(From->size() * sizeof(typename T::value_type)));
  To.assign(From->begin(), From->end());
  return {};
}

inline size_t sizeOf(const flatbuffers::Vector<uint8_t> *V) {
  return V ? V->size() : 0;
}

/// Copies a vector of bytes; false if its length is not N.
[[nodiscard]] inline bool copyBytes(const flatbuffers::Vector<uint8_t> *V,
                                    size_t N, std::vector<uint8_t> &Out) {
  if (sizeOf(V) != N)
    return false;
  if (N)
    Out.assign(V->begin(), V->end());
  else
    Out.clear();
  return true;
}

/// Turns differences, as read, into values. False when a value exceeds Max.
template <class T>
[[nodiscard]] bool undoDifferences(std::vector<T> &V, uint64_t Max) {
  uint64_t Last = 0;
  for (T &X : V) {
    Last += uint64_t(unzigzag(X));
    if (Last > Max)
      return false;
    X = T(Last);
  }
  return true;
}

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_DECODEHELPERS_H
