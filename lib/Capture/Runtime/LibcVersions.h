// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Old versions of libc's symbols.
//
// glibc 2.34 took libdl and libpthread into libc and gave what was in them a
// new version, beside the old one. Built with a newer glibc, the library is
// still to be loaded by an older one: it takes the old version. Every file of
// the library is compiled with this one before it.
//
// With an older glibc the functions of threads are there only in programs that
// are linked with libpthread: Thread.cpp has them weak.

#ifndef MEMKIT_CAPTURE_RUNTIME_LIBCVERSIONS_H
#define MEMKIT_CAPTURE_RUNTIME_LIBCVERSIONS_H

#define MEMKIT_OLD(Function)                                                   \
  asm(".symver " #Function "," #Function "@GLIBC_2.2.5")

MEMKIT_OLD(dlerror);
MEMKIT_OLD(dlopen);
#ifndef MEMKIT_DEFINES_DLSYM
MEMKIT_OLD(dlsym);
#endif
MEMKIT_OLD(dlvsym);
MEMKIT_OLD(pthread_key_create);
MEMKIT_OLD(pthread_key_delete);
MEMKIT_OLD(pthread_setspecific);

#endif // MEMKIT_CAPTURE_RUNTIME_LIBCVERSIONS_H
