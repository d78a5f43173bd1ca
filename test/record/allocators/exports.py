# Each function that an allocator exports is hooked, or is known to give and take no block.
#
# REQUIRES: python
# RUN: %python %s %obj_root/lib/memkit/libmemrec.so %src_root/lib/Capture/Host/AllocatorHooks.cpp
import glob
import re
import subprocess
import sys

library, source = sys.argv[1:]
ALLOCATORS = ["libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2.0", "libc.so.6"]

# Sizes, settings, statistics, heaps.
NO_BLOCK = re.compile(r"""
    nallocx|sallocx|mallctl\w*|malloc_(stats_print|stats|usable_size|size|good_size|info|trim)|mallopt|mallinfo2?
    |MallocExtension_\w+|MallocHook_\w+|tc_(mallinfo|malloc_size|malloc_stats|mallopt|nallocx|query_new_mode
    |set_new_mode|version)|mi_(arena|check|collect|debug|good_size|is_|malloc_(good_size|size|usable_size)|manage
    |option|process|register|reserve|stats|thread|usable_size|version)\w*
    |mi_heap_(check_owned|collect|contains_block|get_backing|get_default|new|new_in_arena|set_default|visit_blocks)
    |RunningOnValgrind|TCMallocGetenvSafe|_?_?\w*(mmap|munmap|mremap|sbrk)\w*
    |_Z(?!n|d)\w+|_fini|_init
    """, re.VERBOSE)
# They give or take blocks, and are not hooked: docs/Limits.md.
NOT_HOOKED = re.compile(r"""
    __libc_\w+|__posix_memalign|mi_heap_(delete|destroy)|mi_(heap_)?realpath|mi_wcsdup|mi_w?dupenv_s
    """, re.VERBOSE)


def exports(path):
    said = subprocess.run(["nm", "-D", "--defined-only", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {line.split()[2].split("@")[0] for line in said.splitlines() if line.split()[1] in "TWi"}


def path_of(name):
    """The path of a library in the system's folders; None: it is not here."""
    found = [path for folder in ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64")
             for path in glob.glob("%s/%s*" % (folder, name))]
    return found[0] if found else None


with open(source, encoding="utf-8") as file:
    hooked = set(re.findall(r"^    MEMKIT_HOOK\((\w+)\)", file.read(), re.MULTILINE))
ours = exports(library)
# A program that looks for these names must not find them.
assert not hooked & ours, hooked & ours
for allocator in ALLOCATORS:
    path = path_of(allocator)
    if not path:
        continue
    names = exports(path)
    if allocator == "libc.so.6":
        names = {n for n in names if re.fullmatch(r"c?free(_\w*sized)?|\w*(alloc|memalign)(array|x)?", n)
                 and not re.search(r"doallocate|fallocate|pkey|cpualloc|rtsig|option_alloc|alloca_cutoff", n)}
    unknown = {n for n in names if n not in hooked | ours and not NO_BLOCK.fullmatch(n) and not NOT_HOOKED.fullmatch(n)}
    print("%s: %d functions, %d hooked, unknown: %s" % (allocator, len(names), len(names & (hooked | ours)), sorted(unknown)))
    assert not unknown
