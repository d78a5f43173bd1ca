// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbols of TensorFlow that the library hooks or calls.
//
// The names are those of 2.16 and 2.21. Names with abseil's version change with
// abseil: each known one is listed.

#ifndef MEMKIT_CAPTURE_TENSORFLOW_NAMES_H
#define MEMKIT_CAPTURE_TENSORFLOW_NAMES_H

namespace memkit::capture::tf {
/// The library with the runtime, and the library with the C API and XLA.
inline constexpr const char *Framework = "libtensorflow_framework.so.2";
inline constexpr const char *Cc = "libtensorflow_cc.so.2";
} // namespace memkit::capture::tf

#define TF_ALLOCATE "_ZN10tensorflow15MklCPUAllocator11AllocateRawEmm"
#define TF_DEALLOCATE "_ZN10tensorflow15MklCPUAllocator13DeallocateRawEPv"
#define TF_ALLOCATOR_TABLE "_ZTVN10tensorflow15MklCPUAllocatorE"
#define TF_DEALLOCATE_SIZED "_ZN3tsl9Allocator13DeallocateRawEPvmm"
#define TF_ALLOCATE_REGION "_ZN10tensorflow17BasicCPUAllocator5AllocEmmPm"
#define TF_BASE_ALLOCATOR "_ZN3tsl18cpu_allocator_baseEv"

/// Of a GPU's allocator.
#define TF_DEVICE_ALLOCATE                                                     \
  "_ZN3tsl12BFCAllocator11AllocateRawEmmRKNS_20AllocationAttributesE"
#define TF_DEVICE_FREE "_ZN3tsl12BFCAllocator13DeallocateRawEPv"
#define TF_DEVICE_ALLOCATOR_NAME "_ZN3tsl12BFCAllocator4NameB5cxx11Ev"
#define TF_DEVICE_CHUNK_SIZE "_ZNK3tsl12BFCAllocator13AllocatedSizeEPKv"
#define TF_DEVICE_EXTEND "_ZN3tsl12BFCAllocator6ExtendEmm"
#define TF_DEVICE_REGION                                                       \
  "_ZN3tsl12BFCAllocator13RegionManager19AddAllocationRegionEPvm"
#define TF_DEVICE_MORE_REGION                                                  \
  "_ZN3tsl12BFCAllocator13RegionManager27AddOrExtendAllocationRegionEPvm"

#define TF_COMPUTE                                                             \
  "_ZN10tensorflow16ThreadPoolDevice7ComputeEPNS_8OpKernelEPNS_"               \
  "15OpKernelContextE"
#define TF_COMPUTE_ASYNC                                                       \
  "_ZN10tensorflow16ThreadPoolDevice12ComputeAsyncEPNS_13AsyncOpKernelEPNS_"   \
  "15OpKernelContextESt8functionIFvvEE"

/// Of operators' inputs and results.
#define TF_INPUT "_ZNK10tensorflow15OpKernelContext5inputEi"
#define TF_RESULT                                                              \
  "_ZN10tensorflow15OpKernelContext14mutable_outputESt17basic_string_viewIcSt" \
  "11char_traitsIcEEPPNS_6TensorE"
#define TF_RANK "_ZNK10tensorflow15TensorShapeBaseINS_11TensorShapeEE4dimsEv"
#define TF_DIMENSION                                                           \
  "_ZNK10tensorflow15TensorShapeBaseINS_11TensorShapeEE8dim_sizeEi"

#define TF_DEVICE_COMPUTE                                                      \
  "_ZN10tensorflow13BaseGPUDevice7ComputeEPNS_8OpKernelEPNS_"                  \
  "15OpKernelContextE"
#define TF_DEVICE_COMPUTE_ASYNC                                                \
  "_ZN10tensorflow13BaseGPUDevice12ComputeAsyncEPNS_13AsyncOpKernelEPNS_"      \
  "15OpKernelContextESt8functionIFvvEE"

/// ABSL: abseil's inline namespace, with its length.
#define TF_RUN_SYNC(ABSL)                                                      \
  "_ZNK10tensorflow29ProcessFunctionLibraryRuntime7RunSyncERKNS_"              \
  "22FunctionLibraryRuntime7OptionsEmN4absl" ABSL                              \
  "4SpanIKNS_6TensorEEEPSt6vectorIS8_SaIS8_EE"
#define TF_ABSL_2023 "12lts_20230802"
#define TF_ABSL_2025 "12lts_20250814"

#define TF_RUN_PROGRAM(PROFILE)                                                \
  "_ZN3xla3cpu13CpuExecutable20ExecuteAsyncOnStreamEPKNS_"                     \
  "27ServiceExecutableRunOptionsESt6vectorINS_14ExecutionInputESaIS6_"         \
  "EE" PROFILE
#define TF_WITH_PROFILE "PNS_19HloExecutionProfileE"
#define TF_PROGRAM_NAME "_ZNK3xla10Executable4nameEv"
#define TF_PROGRAM_MODULE "_ZNK3xla10Executable6moduleEv"

#endif // MEMKIT_CAPTURE_TENSORFLOW_NAMES_H
