// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Session/FindingSentence.h"
#include "Wire/FindingSources.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace memkit;
using wire::CudaCapture;

/// Empty: the user does not hear of the finding.
static std::string said(wire::FindingSource Source, const FindingFacts &F) {
  const wire::FindingTexts &Of = wire::AllFindingTexts[Source];
  const wire::FindingText *T = findText(Of, F.Code, F.Why);
  return T ? findingSentence(*T, Of, F) : "";
}

static FindingFacts cuda(CudaCapture Code, CudaCapture Why = CudaCapture::None,
                         uint32_t Argument = 0, const char *Name = "") {
  return {uint32_t(Code), uint32_t(Why), Argument, Name, ""};
}

TEST(FindingSentence, HasTheReasonOfTheReason) {
  EXPECT_EQ("CUDA: memory of the driver is recorded where the program looks up "
            "driver functions: CUPTI refused, error 15",
            said(wire::FS_Cuda,
                 cuda(CudaCapture::Interposed, CudaCapture::CuptiFailed, 15)));
  EXPECT_EQ("CUDA: memory of the driver is recorded where the program looks up "
            "driver functions",
            said(wire::FS_Cuda,
                 cuda(CudaCapture::Interposed, CudaCapture::NotWanted)));
}

TEST(FindingSentence, OfTheWhyComesFirst) {
  EXPECT_EQ("CUDA: memory of the driver is recorded by a CUPTI older than the "
            "driver: 3 unknown calls are not recorded",
            said(wire::FS_Cuda,
                 cuda(CudaCapture::Cupti, CudaCapture::CuptiOlder, 3)));
  EXPECT_EQ("CUDA: memory of the driver is recorded through CUPTI",
            said(wire::FS_Cuda, cuda(CudaCapture::Cupti)));
}

TEST(FindingSentence, NamesTheOtherToolIfKnown) {
  EXPECT_EQ("CUDA: memory of the driver is not recorded: another tool uses "
            "CUPTI: libnsys.so",
            said(wire::FS_Cuda, cuda(CudaCapture::CuptiTaken, CudaCapture::None,
                                     0, "libnsys.so")));
  EXPECT_EQ("CUDA: memory of the driver is not recorded: another tool uses "
            "CUPTI (nsys, ncu, a debugger, a profiler)",
            said(wire::FS_Cuda, cuda(CudaCapture::CuptiTaken)));
}

TEST(FindingSentence, HasVersionsAndParts) {
  EXPECT_EQ("Python 3.11.4: its own frames are not recorded: a debug build",
            said(wire::FS_Python, {uint32_t(wire::PythonState::DebugBuild), 0,
                                   0x030b04f0, "", "frames"}));
  EXPECT_EQ("Python: its objects are recorded",
            said(wire::FS_Python,
                 {uint32_t(wire::PythonState::Walked), 0, 0, "", "objects"}));
}

TEST(FindingSentence, OfAnyCodeIsTheLast) {
  EXPECT_EQ("it enters a sandbox, a seccomp filter that kills on mmap: its "
            "recording ends here",
            said(wire::FS_Sandbox, {SYS_mmap + 1, 0, 0, "", ""}));
  EXPECT_EQ("it enters a sandbox, a seccomp filter: its recording ends here",
            said(wire::FS_Sandbox, {SYS_fork + 1, 0, 0, "", ""}));
  EXPECT_EQ("", said(wire::FS_Jax,
                     {uint32_t(wire::JaxState::Searching), 0, 0, "", ""}));
}

TEST(FindingSentence, ReadsOnlyPrintableNames) {
  wire::SourceFinding Of{};
  Of.Code = 1;
  std::memset(Of.Name, '\n', sizeof(Of.Name));
  EXPECT_EQ(std::string(sizeof(Of.Name), '?'), FindingFacts::read(Of).Name);
}
