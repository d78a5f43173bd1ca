// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The built-in rules.

#include "memkit/Model/Rules.h"

using namespace llvm;

namespace memkit {

/// Rules.h has the syntax. Rules of `leak` must be bound at both ends, and must
/// not match functions through which a program itself allocates.
static constexpr StringLiteral Text = R"rules(
#
# Functions that say nothing about the program
#

# malloc's other names, and functions that pass requests on to malloc.
fold:^operator new
fold:^__libc_malloc$
fold:^__libc_calloc$
fold:^__libc_realloc$
fold:^__libc_memalign$
fold:^posix_memalign$
fold:^aligned_alloc$
fold:^ztrymalloc
fold:^ztrycalloc
fold:^ztryrealloc
fold:^xmalloc$
fold:^xcalloc$
fold:^xrealloc$
fold:^zmalloc$
fold:^zcalloc$
fold:^zrealloc$
fold:_malloc$
fold:_calloc$
fold:_realloc$
fold:malloc_usable
fold:calloc_usable
fold:realloc_usable
fold:^g_malloc
fold:^g_realloc
fold:^g_slice_alloc
fold:^strdup$
fold:^__strdup$
fold:^strndup$
fold:^__strndup$

# The inner functions of libstdc++ and libc++.
fold:^std::
fold:^__gnu_cxx::
fold:^__cxxabiv1::
fold:^decltype(auto) std::

# PyTorch's way from a call to the operator's kernel, and from the operator to
# the allocator.
fold:^c10::Dispatcher::call
fold:^c10::Dispatcher::redispatch
fold:^c10::impl::wrap_kernel_functor_
fold:^c10::impl::make_boxed_from_unboxed_functor
fold:^c10::impl::BoxedKernelWrapper
fold:^c10::KernelFunction::call
fold:^c10::BoxedKernel::callBoxed
fold:^c10::OperatorHandle::
fold:^c10::TypedOperatorHandle
fold:^at::_ops::
fold:^at::redispatch::
fold:_unboxed_
fold:^torch::autograd::THPVariable_
fold:^torch::autograd::TypeError_to_NotImplemented_
fold:^at::detail::empty_
fold:^at::detail::_empty_
fold:^at::native::empty_
fold:^at::empty
fold:^c10::ProfiledCPUMemoryReporter::
fold:^c10::cuda::CUDACachingAllocator::
fold:^torch::unwind::
fold:^torch::CapturedTraceback::
fold:^torch::cuda::(anonymous namespace)::gather
fold:^c10::DefaultCPUAllocator::
fold:^c10::DefaultMobileCPUAllocator::
fold:^c10::alloc_cpu
fold:^c10::StorageImpl::
fold:^c10::make_intrusive
fold:^c10::intrusive_ptr
fold:^c10::detail::
fold:^at::TensorIteratorBase::
fold:^at::(anonymous namespace)::
fold:^at::meta::
fold:^torch::autograd::VariableType::(anonymous namespace)::
fold:^torch::ADInplaceOrView::(anonymous namespace)::
fold:^torch::TraceType::(anonymous namespace)::
fold:^torch::autograd::generated::
fold:^ska::
fold:^Module._call_impl$
fold:^Module._wrapped_call_impl$
fold:^_call_impl$
fold:^_wrapped_call_impl$

# From Python into extensions.
fold:^pybind11::cpp_function::dispatcher
fold:^pybind11::cpp_function::initialize
fold:^pybind11::detail::
fold:^nanobind::detail::
fold:^nb_func_
fold:^ufunc_generic_
fold:^npy_alloc_cache
fold:^npyv_
fold:^_npy_alloc_cache$
fold:^PyDataMem_
fold:^PyDataMem_User
fold:^default_malloc$
fold:^default_calloc$
fold:^default_realloc$
fold:^xla::ifrt::
fold:^tsl::
fold:^reraise_with_filtered_traceback$
fold:^api_boundary.<locals>.reraise_with_filtered_traceback$
fold:^cache_miss$
fold:^_cpp_pjit.<locals>.cache_miss$

# The way through the loader: the caller of dlopen and the constructor that the
# loader runs stay.
fold:^dlopen_implementation$
fold:^dlopen_doit$
fold:^_dlerror_run$
fold:^_dl_catch_
fold:^dl_open_worker
fold:^_dl_open$
fold:^_dl_init$
fold:^call_init$

# Python's way to a module, and through operators.
fold:^_imp_create_dynamic
fold:^_PyImport_LoadDynamicModule
fold:^_PyImport_FindSharedFuncptr$
fold:^marshal_loads_impl$
fold:^read_object$
fold:^r_object$
fold:^PyNumber_
fold:^binary_op1$
fold:^binary_iop1$

# The start of a process or thread.
start:^_start$
start:^start_thread$
start:^clone$
start:^clone3$
start:^__clone$
start:^__clone3$
start:^thread_start$
start:^__libc_start_
start:^std::thread::_State_impl
start:^execute_native_thread_routine
# By the name without folders.
start:binary=^libc.so
start:binary=^libc-2.
start:binary=^libpthread
start:binary=^ld-musl

#
# CPython
#

# By the name without folders.
interpreter:^python$
interpreter:^python2
interpreter:^python3
interpreter:^libpython.
interpreter:^libpython2
interpreter:^libpython3
import:^<frozen importlib
import:^<frozen runpy>$
import:^<frozen site>$
import:/runpy.py$
import:/python3*/site.py$
import:/importlib/__init__.py$
import:/importlib/_bootstrap.py$
import:/importlib/_bootstrap_external.py$
# Functions that only call others. Extensions, and programs that embed an
# interpreter, have no other sign of glue than these names.
glue:^PyEval_
glue:^_PyEval_
glue:^_PyFunction_
glue:^PyObject_Call
glue:^_PyObject_Call
glue:^_PyObject_FastCall
glue:^_PyObject_MakeTpCall
glue:^PyObject_Vectorcall
glue:^_PyObject_Vectorcall
glue:^PyVectorcall_
glue:^_PyVectorcall_
glue:^PyCFunction_Call
glue:^_PyCFunction_
glue:^_PyMethodDef_
glue:^_PyMethodDescr_
glue:^_PyStack_
glue:^PyIter_Send
glue:^cfunction_
glue:^method_vectorcall
glue:^method_call
glue:^classmethod_
glue:^function_code_fastcall
glue:^slot_tp_
glue:^slot_nb_
glue:^slot_sq_
glue:^slot_mp_
glue:^slot_am_
glue:^vectorcall_
glue:^object_vacall
glue:^wrap_
glue:^wrapper_call
glue:^wrapperdescr_
glue:^partial_call
glue:^partial_vectorcall
glue:^gen_send_ex
glue:^gen_iternext
glue:^lookup_maybe_
glue:^call_unbound
glue:^__Pyx_PyObject_Call
glue:^__Pyx_PyFunction_FastCall
glue:^__Pyx_PyVectorcall_
glue:^__Pyx_PyMethod_
glue:^__Pyx_CyFunction_
glue:^type_call$
glue:^type_vectorcall$
glue:^call_function$
glue:^do_call_core$
glue:^fast_function$
glue:^_PyCall_MakeTp$
glue:^call_method$
glue:^vgetargs1_impl$
glue:^property_descr_get$
glue:^call_attribute$
glue:^gen_close_iter$
# The functions between the interpreter and malloc.
allocator:^_PyMem_
allocator:^PyMem_
allocator:^_PyObject_Malloc
allocator:^_PyObject_Calloc
allocator:^_PyObject_Realloc
allocator:^_PyObject_Arena
allocator:^PyObject_Malloc
allocator:^PyObject_Calloc
allocator:^PyObject_Realloc
allocator:^_PyObject_GC_
allocator:^PyObject_GC_
allocator:^gc_alloc
allocator:^pymalloc_
allocator:^new_arena
allocator:^allocate_from_new_pool
allocator:^arena_map_
allocator:^PyType_GenericAlloc
allocator:^_PyType_AllocNoTrack

#
# Whose code it is. Neither system folders nor installed packages are the
# user's.
#

library:^/usr/
library:^/lib/
library:^/lib32/
library:^/lib64/
library:^/nix/store/
library:^/snap/
library:^/rustc/
library:^/rust/deps/
library:^<
library:/site-packages/
library:/dist-packages/
library:/lib/python2.
library:/lib/python3.
library:/python3*/lib/
library:/Python3*/Lib/
library:conda*/Lib/
library:/_vendor/
library:/vendor/
library:/third_party/
library:/third-party/
library:/thirdparty/
library:/node_modules/
library:/.cargo/registry/
library:/go/pkg/mod/
library:/_deps/
library:/deps/uv/
library:/libuv
library:/.conan
library:/vcpkg
library:/include/c++/
library:/libmemrec
library:/libcuda.so
library:/libcudart.so
library:/memkit/__init__.py$
library:/memkit/_stats.py$
library:/memkit/_device.py$
library:/memkit/memkit.h$
library:/memkit/_compiled.py$
library:/torchinductor_
library:/torch/nn/modules/
library:/torch/csrc/
library:/torch/optim/

#
# Which library requested memory, by the name without folders. A library has
# its version after `.so` or after `-`: `libc.so.6`, `libc-2.31.so`.
#

# CUDA's driver and runtime take memory from the device for others.
driver:^libmemrec-cuda
driver:^libcuda.so
driver:^libcuda-
driver:^libcudart.so
driver:^libcudart-
driver:^libcupti.so
driver:^libcupti-
# Memory from the driver serves any later caller, so it is the cache's; a block
# of the cache is its caller's.
cache:^libc10.so
cache:^libc10-
cache:^libc10_cuda.so
cache:^libc10_cuda-
# These pass on requests of others.
forwards:^ld.so
forwards:^ld-
forwards:^libmemrec
forwards:^libc.so
forwards:^libc-
forwards:^libstdc++.so
forwards:^libstdc++-
forwards:^libc++.so
forwards:^libc++-
forwards:^libc++abi.so
forwards:^libc++abi-
forwards:^libpthread.so
forwards:^libpthread-
forwards:^libjemalloc.so
forwards:^libjemalloc-
forwards:^libtcmalloc.so
forwards:^libtcmalloc-
forwards:^libtcmalloc_minimal.so
forwards:^libtcmalloc_minimal-
forwards:^libmimalloc.so
forwards:^libmimalloc-
forwards:^libffi.so
forwards:^libffi-

#
# Memory that no line of the program explains
#

category:^Py_InitializeFromConfig$ => Python start
category:^Py_InitializeEx$ => Python start
category:^Py_PreInitializeFromPyArgv$ => Python start
category:^pymain_init$ => Python start
category:^_PyRuntime_Initialize$ => Python start
category:^pymain_run_python$ => Python start
category:^Py_FinalizeEx$ => Python's end
category:binary=/libstdc++.so => C++ runtime
category:^_dl_start_user$ => loader
category:^_dl_relocate_object => loader
category:^_dl_map_object => loader
category:^_dl_new_object$ => loader
category:^__libc_setup_tls$ => loader
category:^pthread_create => thread stacks
category:^allocate_stack$ => thread stacks
category:^_dl_allocate_tls => thread stacks
category:^cuInit => CUDA context
category:^cudart::contextState => CUDA context

#
# Memory that a library keeps for itself, whichever line called the library
#

# The driver's own memory on the host, whoever makes the context or loads the
# module; a launch loads the module of its kernel, unless it is loaded.
owner:^cuDevicePrimaryCtxRetain => CUDA context
owner:^cuCtxCreate => CUDA context
owner:^cuModuleLoad => CUDA modules
owner:^cuModuleGetFunction => CUDA modules
owner:^cuLibraryLoad => CUDA modules
owner:^cuLibraryGetModule => CUDA modules
owner:^cuLibraryGetKernel => CUDA modules
owner:^cuKernelGetFunction => CUDA modules
owner:^cuFuncLoad => CUDA modules
owner:^cuLaunchKernel => CUDA modules
owner:^cuLaunchCooperativeKernel => CUDA modules
owner:^at::cuda::getNewWorkspace$ => cuBLAS workspace
owner:^at::cuda::getCurrentCUDABlasHandle$ => cuBLAS workspace
owner:^at::cuda::getCUDABlasLtWorkspace$ => cuBLAS workspace
owner:^at::native::run_conv_plan$ => cuDNN workspace
owner:binary=/libcublasLt.so => cuBLAS
owner:binary=/libcublas.so => cuBLAS
owner:binary=/libcublas- => cuBLAS
owner:binary=/libcublasLt- => cuBLAS
owner:binary=/libcudnn => cuDNN
owner:binary=/libnccl.so => NCCL
owner:binary=/libnccl- => NCCL
owner:binary=/libcufft.so => cuFFT
owner:binary=/libcusolver.so => cuSOLVER
owner:binary=/libcusparse.so => cuSPARSE
owner:binary=/libnvrtc.so => NVRTC
# Caches of keys and values: transformers, SGLang, vLLM.
owner:file=/transformers/cache_utils.py$ => KV cache
owner:file=/sglang/srt/mem_cache/*memory_pool.py$ => KV cache
owner:_allocate_kv_cache_tensors$ => KV cache

#
# Private allocators of libraries, whose blocks are not recorded
#

# Arrow had jemalloc before 17.
pool:/libarrow.so.9 => Arrow's pool (jemalloc)
pool:/libarrow.so.10 => Arrow's pool (jemalloc)
pool:/libarrow.so.11 => Arrow's pool (jemalloc)
pool:/libarrow.so.12 => Arrow's pool (jemalloc)
pool:/libarrow.so.13 => Arrow's pool (jemalloc)
pool:/libarrow.so.14 => Arrow's pool (jemalloc)
pool:/libarrow.so.15 => Arrow's pool (jemalloc)
pool:/libarrow.so.16 => Arrow's pool (jemalloc)
pool:/libarrow.so => Arrow's pool (mimalloc)
pool:/_polars_runtime => polars' pool (jemalloc)
pool:/polars.abi3.so => polars' pool
pool:/_duckdb. => DuckDB's pool (jemalloc)
pool:/duckdb.cpython => DuckDB's pool

#
# Memory that programs keep to their end by design: allocated once, and no leak
#

# The loader's own tables of loaded binaries; not constructors.
leak:^_dl_new_object$
leak:^_dl_map_object$
leak:^_dl_map_object_deps$
leak:^_dl_check_map_versions$
leak:^_dl_find_object_update$
leak:^_dl_init_paths$
leak:^_dl_important_hwcaps$
leak:^add_to_global_update$
# libc's locales and conversions.
leak:^setlocale$
leak:^_nl_find_locale$
leak:^__gconv_find_transform$
leak:^__gconv_load_conf$
leak:^__wcsmbs_load_conv$
# libc's buffers of stdout and of other streams, and its table of what exit()
# calls. More than three buffers are of files that a program has not closed.
leak:^_IO_file_doallocate$
leak:^_IO_file_doallocate@*$
leak:^_IO_wfile_doallocate$
leak:^__new_exitfn$
# The C++ library's memory for exceptions when there is no other.
leak:^_GLOBAL__sub_I__ZN9__gnu_cxx9__freeresEv$
leak:^_GLOBAL__sub_I_eh_alloc.cc$
# CPython: its start, types that are never freed, interned strings, names and
# constants of code.
leak:^Py_InitializeFromConfig$
leak:^Py_PreInitializeFromPyArgv$
leak:^_PyRuntime_Initialize$
leak:^PyType_Ready$
leak:^PyUnicode_InternInPlace$
leak:^PyUnicode_InternFromString$
leak:^_PyUnicode_InternMortal$
leak:^_PyUnicode_InternImmortal$
leak:^PyDict_SetItemString$
leak:^_PyPegen_new_identifier$
leak:^r_object$
# Device memory that PyTorch's allocators cache for reuse.
leak:^[device segment]$
# CPython's arenas: unused memory in arenas, if the objects in them are
# recorded. Without recorded objects, the arenas are their only trace and are
# not suppressed.
leak(python.object):^new_arena$
leak(python.object):^_PyObject_ArenaMmap$
leak(python.object):^_PyMem_ArenaAlloc$
leak(python.object):^arena_map_get$
)rules";

StringRef Rules::builtInText() { return Text; }

} // namespace memkit
