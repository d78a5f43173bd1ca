// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the device behaves, from the lines of FAKECUDA_SCRIPT that begin with "device":
//
//   device set NAME VALUE            as FAKECUDA_NAME=VALUE; VALUE may end with K, M or G
//   device at CALL N set NAME VALUE  from the Nth call of CALL on
//   device fail CALL N CODE          it returns CODE
//   device silent CALL N             nobody is told of it
//   device unannounced CALL N        nobody is told before it
//   device kill CALL N               the process is killed in it
//
// CALL is a name of a callback (cuMemAlloc_v2); N may be * for each. What else the file
// has is play's.
#define _GNU_SOURCE
#include "fakecuda.h"
#undef getenv
#include <stdio.h>
#include <string.h>

struct Setting {
  char Name[32], Value[32];
};
struct Rule {
  char Call[48];
  int Nth; // 0: each
  enum { Set, Fail, Silent, Unannounced, Kill } Does;
  int Code;
  struct Setting To;
  int Seen;
};
enum { Max = 64 };
static struct Setting Settings[Max];
static struct Rule Rules[Max];
static int NumSettings, NumRules;

static void set(const struct Setting *S) {
  for (int I = 0; I != NumSettings; ++I)
    if (!strcmp(Settings[I].Name, S->Name)) {
      Settings[I] = *S;
      return;
    }
  Settings[NumSettings++] = *S;
}

// A number with its unit in full, as the variables have it.
static struct Setting makeSetting(const char *Name, const char *Value) {
  struct Setting S;
  char Unit = 0;
  unsigned long long N = 0;
  snprintf(S.Name, sizeof(S.Name), "FAKECUDA_%.20s", Name);
  int Parts = sscanf(Value, "%llu%c", &N, &Unit);
  int Shift = Unit == 'K' ? 10 : Unit == 'M' ? 20 : Unit == 'G' ? 30 : 0;
  if (Parts == 2 && Shift)
    snprintf(S.Value, sizeof(S.Value), "%llu", N << Shift);
  else
    snprintf(S.Value, sizeof(S.Value), "%.30s", Value);
  return S;
}

static bool parse(const char *Line) {
  char What[32] = "", Call[48] = "", Nth[16] = "", Name[32], Value[32];
  struct Rule R = {0};
  int Code = 0;
  if (sscanf(Line, "set %31s %31s", Name, Value) == 2 && NumSettings != Max) {
    struct Setting S = makeSetting(Name, Value);
    set(&S);
    return true;
  }
  if (sscanf(Line, "%31s %47s %15s %d", What, Call, Nth, &Code) < 3 || NumRules == Max)
    return false;
  static const char *const Names[] = {"at", "fail", "silent", "unannounced", "kill"};
  for (R.Does = Set; R.Does <= Kill && strcmp(What, Names[R.Does]); ++R.Does)
    ;
  if (R.Does > Kill)
    return false;
  if (R.Does == Set) {
    if (sscanf(Line, "at %*s %*s set %31s %31s", Name, Value) != 2)
      return false;
    R.To = makeSetting(Name, Value);
  }
  R.Code = Code;
  R.Nth = *Nth == '*' ? 0 : atoi(Nth);
  strcpy(R.Call, Call);
  Rules[NumRules++] = R;
  return true;
}

__attribute__((constructor)) static void read(void) {
  const char *Path = getenv("FAKECUDA_SCRIPT");
  FILE *File = Path ? fopen(Path, "re") : NULL;
  char Line[256];
  if (Path && !File) {
    perror(Path);
    abort();
  }
  while (File && fgets(Line, sizeof(Line), File))
    if (!strncmp(Line, "device ", 7) && !parse(Line + 7)) {
      fprintf(stderr, "%s: the device does not know: %s", Path, Line);
      abort();
    }
  if (File)
    fclose(File);
}

const char *setting(const char *Name) {
  for (int I = 0; I != NumSettings; ++I)
    if (!strcmp(Settings[I].Name, Name))
      return Settings[I].Value;
  return getenv(Name);
}

struct Behaviour behaviourOf(const char *Call) {
  struct Behaviour B = {0};
  for (int I = 0; I != NumRules; ++I) {
    struct Rule *R = &Rules[I];
    if (strcmp(R->Call, Call))
      continue;
    int N = __sync_add_and_fetch(&R->Seen, 1);
    if (R->Does == Set && N >= R->Nth)
      set(&R->To);
    if (R->Nth && R->Nth != N)
      continue;
    if (R->Does == Fail)
      B.Fail = R->Code;
    B.IsSilent |= R->Does == Silent;
    B.IsUnannounced |= R->Does == Unannounced;
    B.Kills |= R->Does == Kill;
  }
  return B;
}
