// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caches of libraries that fill up to a known bound, and heaps that a garbage
// collector keeps small.

#include "BoundedCaches.h"
#include "FunctoolsCaches.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

namespace {
struct KnownCache {
  StringLiteral Function; ///< the begin of the name of a frame
  StringLiteral File;     ///< the end of the frame's file; empty: any
  bool IsInnermost;       ///< the frame is among the innermost
  uint64_t Blocks;        ///< of one stack
  StringLiteral Text;
};

// CPython's bounds are PyTuple_MAXFREELIST (for each size),
// PyFloat_MAXFREELIST, PyList_MAXFREELIST and PyDict_MAXFREELIST (3.11
// to 3.13), PyTorch's is of torch/multiprocessing/reductions.py.
constexpr KnownCache Known[] = {
    {"reduce_storage", "multiprocessing/reductions.py", false, 256,
     "torch.multiprocessing's shared_cache, of at least 128 entries"},
    {"SharedCache.__setitem__", "multiprocessing/reductions.py", false, 256,
     "torch.multiprocessing's shared_cache, of at least 128 entries"},
    {"rebuild_storage_fd", "multiprocessing/reductions.py", false, 256,
     "torch.multiprocessing's shared_cache, of at least 128 entries"},
    {"PyTuple_New", "", true, 2000,
     "CPython's free lists of tuples, of 2,000 for each size"},
    {"tuple_alloc", "", true, 2000,
     "CPython's free lists of tuples, of 2,000 for each size"},
    {"PyFloat_FromDouble", "", true, 100,
     "CPython's free list of floats, of 100"},
    {"PyList_New", "", true, 80, "CPython's free list of lists, of 80"},
    {"new_dict", "", true, 80, "CPython's free list of dicts, of 80"},
    {"v8::internal::MemoryAllocator::Allocate", "", false, UINT64_MAX,
     "pages of V8's heap, which its garbage collector frees"},
};
constexpr size_t Innermost = 5;
} // namespace

/// Whether the stack fills a functools.lru_cache(maxsize), whose size is not
/// known.
bool BoundedCaches::fillsLruCache(uint32_t Stack) {
  std::optional<uint32_t> Caller = callerOfCache(T, Stack, BoundedWrapper);
  if (!Caller)
    return false;
  auto [At, New] = FillsBelow.try_emplace(*Caller);
  if (New)
    At->second = fillsCache(T, *Caller, BoundedWrapper);
  return At->second;
}

StringRef BoundedCaches::of(uint32_t Stack, uint64_t Blocks) {
  std::vector<ShownFrame> Frames = T.shownStack(Stack);
  for (const KnownCache &Of : Known) {
    if (Blocks > Of.Blocks)
      continue;
    ArrayRef<ShownFrame> In = Frames;
    if (Of.IsInnermost)
      In = In.take_front(Innermost);
    if (any_of(In, [&](const ShownFrame &F) {
          return F.Function.starts_with(Of.Function) &&
                 F.File.ends_with(Of.File);
        }))
      return Of.Text;
  }
  return fillsLruCache(Stack) ? "a functools.lru_cache, up to its maxsize" : "";
}

} // namespace memkit
