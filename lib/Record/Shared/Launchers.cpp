// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables of torchrun, PALS, PMIx, Open MPI, MPICH and Intel MPI,
// MVAPICH, Flux, jsrun, ALPS, Horovod, JAX, Slurm, Kubernetes, Ray, PBS and
// LSF.

#include "Shared/Launchers.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>

using namespace llvm;
using namespace memkit;

std::optional<std::string> memkit::getProcessEnv(StringRef Name) {
  if (const char *Value = std::getenv(Name.str().c_str()))
    return std::string(Value);
  return std::nullopt;
}

// Inner launchers first.
static constexpr const char *Ranks[] = {
    "RANK",           "PALS_RANKID",
    "PMIX_RANK",      "OMPI_COMM_WORLD_RANK",
    "PMI_RANK",       "MV2_COMM_WORLD_RANK",
    "FLUX_TASK_RANK", "JSM_NAMESPACE_RANK",
    "ALPS_APP_PE",    "HOROVOD_RANK",
    "JAX_PROCESS_ID", "SLURM_PROCID"};
static constexpr const char *WorldSizes[] = {
    "WORLD_SIZE",           "PALS_SIZE",          "PMIX_SIZE",
    "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",           "MV2_COMM_WORLD_SIZE",
    "FLUX_JOB_SIZE",        "JSM_NAMESPACE_SIZE", "HOROVOD_SIZE",
    "JAX_NUM_PROCESSES",    "SLURM_NTASKS"};
static constexpr const char *LocalRanks[] = {"LOCAL_RANK",
                                             "PALS_LOCAL_RANKID",
                                             "OMPI_COMM_WORLD_LOCAL_RANK",
                                             "MPI_LOCALRANKID",
                                             "MV2_COMM_WORLD_LOCAL_RANK",
                                             "FLUX_TASK_LOCAL_ID",
                                             "JSM_NAMESPACE_LOCAL_RANK",
                                             "HOROVOD_LOCAL_RANK",
                                             "SLURM_LOCALID"};
// The index of an indexed job of Kubernetes numbers pods, each of which starts
// ranks of its own.
static constexpr const char *Nodes[] = {"GROUP_RANK", "SLURM_NODEID",
                                        "JOB_COMPLETION_INDEX"};
static constexpr const char *Attempts[] = {"TORCHELASTIC_RESTART_COUNT",
                                           "SLURM_RESTART_COUNT"};
static constexpr const char *Jobs[] = {"TORCHELASTIC_RUN_ID", "SLURM_JOB_ID",
                                       "RAY_JOB_ID",          "PBS_JOBID",
                                       "LSB_JOBID",           "FLUX_JOB_ID"};

static int32_t firstNumber(GetEnv Env, ArrayRef<const char *> Names) {
  for (const char *Name : Names) {
    int32_t Value;
    if (auto Text = Env(Name);
        Text && to_integer(*Text, Value, 10) && Value >= 0)
      return Value;
  }
  return -1;
}

/// torchrun calls a job that the user did not name "none".
static std::string findJob(GetEnv Env) {
  for (const char *Name : Jobs)
    if (auto Text = Env(Name); Text && !Text->empty() && *Text != "none")
      return *Text;
  return "";
}

LaunchedPlace memkit::findPlace(GetEnv Env) {
  LaunchedPlace P;
  P.Place.Rank = firstNumber(Env, Ranks);
  P.Place.WorldSize = firstNumber(Env, WorldSizes);
  P.Place.LocalRank = firstNumber(Env, LocalRanks);
  P.Place.Node = firstNumber(Env, Nodes);
  P.Place.Attempt = firstNumber(Env, Attempts);
  P.Job = findJob(Env);
  return P;
}
