// Allocates now and then; writes its pid to argv[1] once it runs.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int Argc, char **Argv) {
  for (int I = 0; I < 3000; ++I) {
    char *volatile P = malloc(100);
    P[0] = 1;
    if (I == 3) {
      char Name[4096];
      snprintf(Name, sizeof(Name), "%s.new", Argv[1]);
      FILE *F = fopen(Name, "w");
      fprintf(F, "%d", (int)getpid());
      fclose(F);
      rename(Name, Argv[1]);
    }
    usleep(10000);
  }
  return 0;
}
