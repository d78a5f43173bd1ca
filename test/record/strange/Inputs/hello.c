#include <stdio.h>
__attribute__((constructor)) static void hello(void) { puts("hello"); }
