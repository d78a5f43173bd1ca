// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of CUDA's driver.
//
// An array is known by a handle; its size is computed from its description.

#include "Cuda/Ended.h"

using namespace memkit::capture;
using namespace memkit::capture::cuda;
using memkit::wire::CudaFunction;
using memkit::wire::CudaHeap;

/// Half bytes of a pixel of picture formats (luminance and colours, where two
/// or four pixels may share a colour; values of ten bits and more take 16
/// bits); 0: another format. Some formats are given by number, because not
/// every version of the headers names them.
static uint64_t halfBytesOfPixel(unsigned F) {
  static constexpr struct {
    uint8_t Format, Half;
  } Known[] = {{CU_AD_FORMAT_UNORM_INT_101010_2, 8},
               {CU_AD_FORMAT_NV12, 3},
               {CU_AD_FORMAT_P010, 6},
               {CU_AD_FORMAT_P016, 6},
               {CU_AD_FORMAT_NV16, 4},
               {CU_AD_FORMAT_P210, 8},
               {CU_AD_FORMAT_P216, 8},
               {CU_AD_FORMAT_YUY2, 4},
               {CU_AD_FORMAT_Y210, 8},
               {CU_AD_FORMAT_Y216, 8},
               {CU_AD_FORMAT_AYUV, 8},
               {CU_AD_FORMAT_Y410, 8},
               {CU_AD_FORMAT_Y416, 16},
               {CU_AD_FORMAT_Y444_PLANAR8, 6},
               {CU_AD_FORMAT_Y444_PLANAR10, 12},
               {CU_AD_FORMAT_YUV444_8bit_SemiPlanar, 6},
               {CU_AD_FORMAT_YUV444_16bit_SemiPlanar, 12}};
  for (const auto &K : Known)
    if (K.Format == F)
      return K.Half;
  // Semi-planar, then planar: 4:2:0, 4:2:2, 4:4:4, each of 8 bits, then 16.
  static constexpr uint8_t Planar[] = {3, 6, 4, 8, 6, 12};
  return F >= 0x53 && F <= 0x5e ? Planar[(F - 0x53) % 6] : 0;
}

/// Half bytes of an element; 0: unknown format.
static uint64_t halfBytes(CUarray_format F, uint64_t Channels) {
  switch (F) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT8:
    return 2 * Channels;
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_HALF:
    return 4 * Channels;
  case CU_AD_FORMAT_UNSIGNED_INT32:
  case CU_AD_FORMAT_SIGNED_INT32:
  case CU_AD_FORMAT_FLOAT:
    return 8 * Channels;
  default:
    break;
  }
  // Normalized integers of 8 and 16 bits, in groups of three, then blocks of 16
  // elements in 8 or 16 bytes.
  unsigned N = unsigned(F);
  if (N >= 0xc0 && N <= 0xcb)
    return (N - 0xc0) / 3 % 2 ? 4 * Channels : 2 * Channels;
  if (N >= 0x91 && N <= 0x9e)
    return N == 0x91 || N == 0x92 || N == 0x97 || N == 0x98 ? 1 : 2;
  return halfBytesOfPixel(N);
}

/// Bytes of an array from its description, without the driver's additions. 0
/// for an array without memory of its own, into which memory of cuMemCreate is
/// mapped.
static uint64_t sizeOf(const CUDA_ARRAY3D_DESCRIPTOR &D, unsigned Levels = 1) {
  if (D.Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING))
    return 0;
  uint64_t Half = halfBytes(D.Format, D.NumChannels), All = 0;
  bool Layered = D.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
  auto AtLevel = [](uint64_t N, unsigned Level) {
    return N >> Level ? N >> Level : 1;
  };
  for (unsigned L = 0; L != Levels && L != 64; ++L)
    All += AtLevel(D.Width, L) * AtLevel(D.Height, L) *
           (Layered ? AtLevel(D.Depth, 0) : AtLevel(D.Depth, L)) * Half;
  return All / 2;
}

bool cuda::afterArray(const Call &C, Ended &E) {
  switch (C.Id) {
  case ID(cuArrayCreate_v2): {
    PARAMS(cuArrayCreate_v2);
    CUDA_ARRAY3D_DESCRIPTOR D = {};
    D.Width = P.pAllocateArray->Width;
    D.Height = P.pAllocateArray->Height;
    D.Format = P.pAllocateArray->Format;
    D.NumChannels = P.pAllocateArray->NumChannels;
    E.gave(CudaFunction::ArrayCreate, CudaHeap::Array, P.pHandle, sizeOf(D));
    return true;
  }
  case ID(cuArray3DCreate_v2): {
    PARAMS(cuArray3DCreate_v2);
    E.gave(CudaFunction::Array3DCreate, CudaHeap::Array, P.pHandle,
           sizeOf(*P.pAllocateArray));
    return true;
  }
  case ID(cuMipmappedArrayCreate): {
    PARAMS(cuMipmappedArrayCreate);
    E.gave(CudaFunction::MipmappedArrayCreate, CudaHeap::Array, P.pHandle,
           sizeOf(*P.pMipmappedArrayDesc, P.numMipmapLevels));
    return true;
  }
  case ID(cuExternalMemoryGetMappedMipmappedArray): {
    PARAMS(cuExternalMemoryGetMappedMipmappedArray);
    E.gave(CudaFunction::ExternalMipmappedArray, CudaHeap::Array, P.mipmap,
           sizeOf(P.mipmapDesc->arrayDesc, P.mipmapDesc->numLevels));
    return true;
  }
  default:
    return false;
  }
}
