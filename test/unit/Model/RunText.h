// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small run with an answer to every question.

#ifndef MEMKIT_TEST_UNIT_MODEL_RUNTEXT_H
#define MEMKIT_TEST_UNIT_MODEL_RUNTEXT_H

/// Two processes, a host heap and a device's heap of tensors, two steps, a
/// layer, tensors by category, an out-of-memory event. The summary has two
/// parts.
inline constexpr char SmallRun[] = R"(
header command=["./train" "-v"]
dictionary
 string 1 "encoder"
 device 1 name="Model T" space="cuda:0" bytes=65536
 process 1 pid=100 exe="/bin/train"
 process 2 pid=101 parent=1 exe="/bin/worker"
 thread 1 process=1 tid=7
 thread 2 process=2 tid=8
 heap 1 name="host.malloc"
 heap 2 name="torch.cuda:0" space=1
 stack 1 prog!main@main.c:1 > prog!load@main.c:9
 stack 2 prog!main@main.c:1 > prog!step@main.c:5
 scope-path 1 phase:forward@1
 scope-path 2 phase:forward@1 > layer:encoder@2
marks
 1000 rss process=1 values=[4096]
 2000 rss process=1 values=[8192]
 2000 device-used id=1 values=[900 65536]
events process=1
 1000 th1 alloc heap=1 stack=1 size=64
 2000 th1 alloc heap=2 stack=2 size=256 scope-path=2
 3000 th1 free #0
summary number=1 end=10000 complete=false
 stacks process=1
  row stack=1 heap=1 allocations=1 allocated-bytes=64 heap-peak-blocks=1 heap-peak-bytes=64 space-peak-blocks=1 space-peak-bytes=64 peak-bytes=64
  row stack=2 heap=2 allocations=1 allocated-bytes=256 live-blocks=1 live-bytes=256 live-exclusive=256 heap-peak-blocks=1 heap-peak-bytes=256 space-peak-blocks=1 space-peak-bytes=256 peak-bytes=256
 scope-paths process=1
  row scope-path=2 heap=2 allocations=1 allocated-bytes=256 live-blocks=1 live-bytes=256 live-exclusive=256 heap-peak-blocks=1 heap-peak-bytes=256 space-peak-blocks=1 space-peak-bytes=256
 step 1 process=1 begin=500 end=1500
 layer name=1 process=1 calls=1 duration=7 allocations=1 allocated-bytes=256 peak-bytes=256
 category activation heap=2 process=1 layer=1 blocks=1 bytes=256
 category parameter heap=2 process=1 oom=1 blocks=1 bytes=10
 category activation heap=2 process=1 oom=1 layer=1 stack=2 blocks=1 bytes=256
 oom 1 process=1 heap=2 thread=1 time=2500 stack=2 requested=99999 skipped=2
 oom-heap 1 heap=2 live-blocks=1 live-bytes=256
 thread 1 allocations=2 allocated-bytes=320 nested-bytes=20
summary number=1 end=10000 events=3 marks=3
 heap 1 allocations=1 frees=1 allocated-bytes=64 freed-bytes=64 peak-bytes=64 peak-blocks=1 peak-time=1000
 heap 2 allocations=1 allocated-bytes=256 live-blocks=1 live-bytes=256 peak-bytes=256 peak-blocks=1 peak-time=2000
 space 0 allocations=1 frees=1 peak-bytes=64 peak-time=1000
 space 1 allocations=1 peak-bytes=256 live-bytes=256 peak-time=2000
 process 1 end=9000 ended=true allocations=2 frees=1 rss-peak-bytes=8192 peak-bytes=64
 process 2 end=10000 role=1
 step 2 process=1 begin=1500 end=9000
 loss ring-full process=1 count=3
 loss events process=1 count=4
 thread 2 allocations=5 allocated-bytes=500
complete
)";

#endif // MEMKIT_TEST_UNIT_MODEL_RUNTEXT_H
