// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens libmemrec-cuda.so for libmemrec.so.

#ifndef MEMKIT_CAPTURE_CUDA_LIBRARY_H
#define MEMKIT_CAPTURE_CUDA_LIBRARY_H

#include <cstddef>

namespace memkit::capture::cuda {

/// Writes the path of libmemrec-cuda.so, in the folder of this library.
/// False: \p Room is too small.
bool libraryPath(char *To, size_t Room);

/// The function \p Name of libmemrec-cuda.so, which has been given the table of
/// Table.h; null: there is no such library. Takes the loader's lock.
void *libraryFunction(const char *Name);

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_LIBRARY_H
