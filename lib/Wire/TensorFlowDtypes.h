// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data types of TensorFlow.

#ifndef MEMKIT_LIB_WIRE_TENSORFLOWDTYPES_H
#define MEMKIT_LIB_WIRE_TENSORFLOWDTYPES_H

#include <cstdint>

namespace memkit::wire {

/// The name of a TF_DataType; empty: unknown, or no type of elements. Any
/// thread.
constexpr const char *tensorFlowDtype(uint8_t Type) {
  constexpr const char *Names[] = {"",
                                   "float32",
                                   "float64",
                                   "int32",
                                   "uint8",
                                   "int16",
                                   "int8",
                                   "string",
                                   "complex64",
                                   "int64",
                                   "bool",
                                   "qint8",
                                   "quint8",
                                   "qint32",
                                   "bfloat16",
                                   "qint16",
                                   "quint16",
                                   "uint16",
                                   "complex128",
                                   "float16",
                                   "",
                                   "",
                                   "uint32",
                                   "uint64",
                                   "float8_e5m2",
                                   "float8_e4m3fn"};
  return Type < sizeof(Names) / sizeof(*Names) ? Names[Type] : "";
}

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_TENSORFLOWDTYPES_H
