/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A libdebuginfod that does what FAKE says: NUMBER, the negative errno of each question; FILE, the
   answer to each question. It counts the questions in FAKE_COUNT. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char Client;
static int (*Watch)(void *, long, long);

void *debuginfod_begin(void) { return getenv("FAKE_NO_CLIENT") ? NULL : &Client; }
void debuginfod_end(void *C) {}
void debuginfod_set_progressfn(void *C, int (*F)(void *, long, long)) { Watch = F; }

static int answer(char **Path) {
  const char *What = getenv("FAKE");
  FILE *Count = fopen(getenv("FAKE_COUNT"), "a");
  fputs("question\n", Count);
  fclose(Count);
  if (Watch) {
    Watch(&Client, 0, 0);
    Watch(&Client, 5, 10);
    Watch(&Client, 20, 10);
    Watch(&Client, -1, 10);
  }
  if (atoi(What))
    return -atoi(What);
  *Path = strdup(What);
  return open(What, O_RDONLY);
}

int debuginfod_find_debuginfo(void *C, const unsigned char *Id, int Length, char **Path) {
  return answer(Path);
}
#ifndef OLD
int debuginfod_find_executable(void *C, const unsigned char *Id, int Length, char **Path) {
  return answer(Path);
}
#endif
