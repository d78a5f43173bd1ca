// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Old versions of libc's symbols.
//
// glibc 2.34 merged libdl and libpthread into libc and gave their functions a
// new version, beside the old one. A library built with a newer glibc must be
// loadable by an older one, so this file selects the old version. Every file of
// the library is compiled with this file in front.
//
// With an older glibc, only programs linked with libpthread have the functions
// of threads: Thread.cpp declares these functions weak.

#ifndef MEMKIT_CAPTURE_RUNTIME_LIBCVERSIONS_H
#define MEMKIT_CAPTURE_RUNTIME_LIBCVERSIONS_H

#define MEMKIT_OLD(Function)                                                   \
  asm(".symver " #Function "," #Function "@GLIBC_2.2.5")

MEMKIT_OLD(dladdr);
asm(".symver dladdr1,dladdr1@GLIBC_2.3.3");
MEMKIT_OLD(dlerror);
#ifndef MEMKIT_DEFINES_DLOPEN
MEMKIT_OLD(dlopen);
#endif
#ifndef MEMKIT_DEFINES_DLSYM
MEMKIT_OLD(dlsym);
#endif
MEMKIT_OLD(dlvsym);
MEMKIT_OLD(pthread_key_create);
MEMKIT_OLD(pthread_key_delete);
MEMKIT_OLD(pthread_setspecific);

#endif // MEMKIT_CAPTURE_RUNTIME_LIBCVERSIONS_H
