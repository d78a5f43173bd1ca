// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dtypes of PyTorch.

#ifndef MEMKIT_LIB_WIRE_DTYPES_H
#define MEMKIT_LIB_WIRE_DTYPES_H

#include <cstddef>
#include <cstdint>

namespace memkit::wire {

/// The name of a dtype by its number (c10::ScalarType), as Python writes the
/// name behind `torch.`; null: an unknown number. Numbers do not change between
/// versions of PyTorch, new ones are added. Any thread.
constexpr const char *dtypeName(uint32_t Number) {
  constexpr const char *Names[] = {"uint8",
                                   "int8",
                                   "int16",
                                   "int32",
                                   "int64",
                                   "float16",
                                   "float32",
                                   "float64",
                                   "complex32",
                                   "complex64",
                                   "complex128",
                                   "bool",
                                   "qint8",
                                   "quint8",
                                   "qint32",
                                   "bfloat16",
                                   "quint4x2",
                                   "quint2x4",
                                   "bits1x8",
                                   "bits2x4",
                                   "bits4x2",
                                   "bits8",
                                   "bits16",
                                   "float8_e5m2",
                                   "float8_e4m3fn",
                                   "float8_e5m2fnuz",
                                   "float8_e4m3fnuz",
                                   "uint16",
                                   "uint32",
                                   "uint64",
                                   "uint1",
                                   "uint2",
                                   "uint3",
                                   "uint4",
                                   "uint5",
                                   "uint6",
                                   "uint7",
                                   "int1",
                                   "int2",
                                   "int3",
                                   "int4",
                                   "int5",
                                   "int6",
                                   "int7",
                                   "float8_e8m0fnu",
                                   "float4_e2m1fn_x2"};
  return Number < sizeof(Names) / sizeof(*Names) ? Names[Number] : nullptr;
}

/// Numbers that the library compares with PyTorch's own.
inline constexpr uint32_t Int64Dtype = 4, Float32Dtype = 6, Bfloat16Dtype = 15;

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_DTYPES_H
