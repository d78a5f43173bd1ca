// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of integers as planes of bytes.
//
// The encoding of `table Planes` in schemas/trace.fbs. Measured on real
// streams: planes with an entropy table of their own are the smallest form that
// zstd's fastest level reaches.

#ifndef MEMKIT_LIB_TRACE_PLANES_H
#define MEMKIT_LIB_TRACE_PLANES_H

#include "trace_generated.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <cstring>
#include <vector>

namespace memkit {

/// Vectors of bytes in a FlatBuffer under construction that are worth an
/// entropy table of their own.
using ByteVectors =
    std::vector<flatbuffers::Offset<flatbuffers::Vector<uint8_t>>>;

inline uint64_t zigzag(int64_t V) {
  return (uint64_t(V) << 1) ^ uint64_t(V >> 63);
}
inline int64_t unzigzag(uint64_t V) {
  return int64_t(V >> 1) ^ -int64_t(V & 1);
}

/// Adds Values as planes to B and notes the vectors in Vectors. A null offset
/// (no table) when all are 0.
template <class T>
flatbuffers::Offset<fb::Planes> encodePlanes(flatbuffers::FlatBufferBuilder &B,
                                             llvm::ArrayRef<T> Values,
                                             ByteVectors &Vectors) {
  uint64_t Used = 0;
  for (T V : Values)
    Used |= V;
  if (!Used)
    return 0;
  flatbuffers::Offset<flatbuffers::Vector<uint8_t>> Plane[8];
  for (unsigned K = 0; K < sizeof(T); ++K) {
    if (!(Used >> (8 * K) & 0xff))
      continue;
    uint8_t *Out;
    Plane[K] = B.CreateUninitializedVector(Values.size(), 1, &Out);
    for (size_t I = 0, E = Values.size(); I != E; ++I)
      Out[I] = uint8_t(Values[I] >> (8 * K));
    Vectors.push_back(Plane[K]);
  }
  return fb::CreatePlanes(B, Plane[0], Plane[1], Plane[2], Plane[3], Plane[4],
                          Plane[5], Plane[6], Plane[7]);
}

using PlaneVectors =
    std::array<const flatbuffers::Vector<uint8_t> *, sizeof(uint64_t)>;

inline PlaneVectors planesOf(const fb::Planes &P) {
  return {P.b0(), P.b1(), P.b2(), P.b3(), P.b4(), P.b5(), P.b6(), P.b7()};
}

/// Whether P holds N values that fit T; no planes are zeros.
template <class T> [[nodiscard]] bool planesFit(const fb::Planes *P, size_t N) {
  if (!P)
    return true;
  PlaneVectors Plane = planesOf(*P);
  for (unsigned K = 0; K < Plane.size(); ++K)
    if (Plane[K] && (Plane[K]->size() != N || K >= sizeof(T)))
      return false;
  return true;
}

/// Decodes N values from the one at From on, of planes that fit.
template <class T>
void readPlanes(const fb::Planes *P, size_t From, size_t N, T *__restrict Out) {
  PlaneVectors Plane = P ? planesOf(*P) : PlaneVectors();
  if (const auto *V = Plane[0]) {
    const uint8_t *B0 = V->Data() + From;
    for (size_t I = 0; I != N; ++I)
      Out[I] = B0[I];
  } else if (N) {
    std::memset(Out, 0, N * sizeof(T));
  }
  for (unsigned K = 1; K < sizeof(T); ++K) {
    if (!Plane[K])
      continue;
    const uint8_t *B = Plane[K]->Data() + From;
    for (size_t I = 0; I != N; ++I)
      Out[I] |= T(B[I]) << (8 * K);
  }
}

/// Decodes N values into Out. False when a plane has another length or the
/// values do not fit T.
template <class T>
[[nodiscard]] bool decodePlanes(const fb::Planes *P, size_t N, T *Out) {
  if (!planesFit<T>(P, N))
    return false;
  readPlanes(P, 0, N, Out);
  return true;
}

template <class T>
[[nodiscard]] bool decodePlanes(const fb::Planes *P, size_t N,
                                std::vector<T> &Out) {
  Out.resize(N);
  return decodePlanes(P, N, Out.data());
}

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_PLANES_H
