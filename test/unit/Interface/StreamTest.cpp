// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams: values, lifetimes, and what happens to a file beneath.

#include "TextFd.h"
#include "memkit/trace.h"
#include <cstring>
#include <gtest/gtest.h>

namespace {

const char Text[] = R"(header command=["run"]
dictionary
  process 1 pid=100 exe="/bin/run"
  thread 1 process=1 tid=100
  thread 2 process=1 tid=107
  heap 1 name="host.malloc"
  heap 2 name="pool"
  stack 1 main > "a\xffb"
  stack 2 main > grow
events process=1
  100 th1 alloc #0 heap=1 size=64 stack=1
  200 th2 alloc #1 heap=2 size=5000000000 stack=2
  300 th1 resize #0 size=96
  400 th2 free #0
complete
)";

memkit_trace *openText(llvm::StringRef Text) {
  memkit_trace *T = nullptr;
  memkit_error *E = memkit_trace_open_fd(textFd(Text), "text", &T);
  EXPECT_EQ(E, nullptr) << memkit_error_message(E);
  return T;
}

template <class T> const T *values(const ArrowArray &Batch, int Column) {
  return static_cast<const T *>(Batch.children[Column]->buffers[1]);
}

/// The text of a row of a column of few texts.
std::string choice(const ArrowArray &Batch, int Column, int Row) {
  const ArrowArray &Texts = *Batch.children[Column]->dictionary;
  auto *Offsets = static_cast<const int32_t *>(Texts.buffers[1]);
  auto *Bytes = static_cast<const char *>(Texts.buffers[2]);
  int32_t At = values<int32_t>(Batch, Column)[Row];
  return std::string(Bytes + Offsets[At], Bytes + Offsets[At + 1]);
}

TEST(Stream, EventsHaveTheValuesOfTheirBlocks) {
  memkit_trace *T = openText(Text);
  memkit_table *Events;
  ASSERT_EQ(memkit_trace_events(T, nullptr,
                                "time_ns,thread,kind,block,size,heap,stack",
                                &Events),
            nullptr);
  EXPECT_EQ(memkit_table_rows(Events), -1);
  ArrowArrayStream S;
  ASSERT_EQ(memkit_table_stream(Events, &S), nullptr);
  // Both outlive what they were made of.
  memkit_table_free(Events);
  memkit_trace_free(T);
  ArrowSchema Schema;
  ASSERT_EQ(S.get_schema(&S, &Schema), 0);
  ASSERT_EQ(Schema.n_children, 7);
  EXPECT_STREQ(Schema.children[5]->name, "heap");
  EXPECT_STREQ(Schema.children[5]->format, "i");
  Schema.release(&Schema);
  ArrowArray Batch;
  ASSERT_EQ(S.get_next(&S, &Batch), 0);
  ASSERT_EQ(Batch.length, 4);
  EXPECT_EQ(values<int64_t>(Batch, 0)[3], 400);
  EXPECT_EQ(values<uint32_t>(Batch, 1)[1], 107u);
  EXPECT_EQ(choice(Batch, 2, 0), "alloc");
  EXPECT_EQ(choice(Batch, 2, 2), "resize");
  EXPECT_EQ(values<int64_t>(Batch, 3)[3], 0);
  EXPECT_EQ(values<int64_t>(Batch, 4)[1], 5000000000);
  EXPECT_EQ(values<int64_t>(Batch, 4)[3], 96); // as it was freed
  EXPECT_EQ(choice(Batch, 5, 1), "pool");
  EXPECT_EQ(values<uint32_t>(Batch, 6)[3], 1u);
  Batch.release(&Batch);
  ASSERT_EQ(S.get_next(&S, &Batch), 0);
  EXPECT_EQ(Batch.release, nullptr);
  S.release(&S);
}

TEST(Stream, TextsAreUtf8) {
  memkit_trace *T = openText(Text);
  memkit_table *Frames;
  ASSERT_EQ(memkit_trace_frames(T, 1, &Frames), nullptr);
  ArrowArrayStream S;
  ASSERT_EQ(memkit_table_stream(Frames, &S), nullptr);
  ArrowArray Batch;
  ASSERT_EQ(S.get_next(&S, &Batch), 0);
  ASSERT_EQ(Batch.length, 2);
  auto *Offsets = values<int32_t>(Batch, 2);
  auto *Bytes = static_cast<const char *>(Batch.children[2]->buffers[2]);
  EXPECT_EQ(std::string(Bytes + Offsets[0], Bytes + Offsets[1]), "a\\xffb");
  // A consumer may take a column and release the rest.
  ArrowArray Taken = *Batch.children[2];
  Batch.children[2]->release = nullptr;
  Batch.release(&Batch);
  EXPECT_EQ(static_cast<const char *>(Taken.buffers[2])[0], 'a');
  Taken.release(&Taken);
  S.release(&S);
  memkit_table_free(Frames);
  memkit_trace_free(T);
}

TEST(Stream, AFileThatBecomesShorterIsAnError) {
  std::string Long = Text;
  size_t At = Long.find("complete");
  std::string Events;
  // Sections enough that some are not read in advance.
  for (int Section = 0; Section != 8; ++Section) {
    Events += "events process=1\n";
    for (int I = 0; I != 2000; ++I) {
      int Time = 1000 + (Section * 2000 + I) * 100;
      Events += "  " + std::to_string(Time) + " th1 alloc #" +
                std::to_string(2 + Section * 2000 + I) +
                " heap=1 size=" + std::to_string(Time * 7919 % 100003) +
                " stack=1\n";
    }
  }
  Long.insert(At, Events);
  int Fd = textFd(Long), Same = dup(Fd);
  memkit_trace *T;
  ASSERT_EQ(memkit_trace_open_fd(Fd, "cut", &T), nullptr);
  memkit_table *All;
  ASSERT_EQ(memkit_trace_events(T, nullptr, nullptr, &All), nullptr);
  ASSERT_EQ(ftruncate(Same, 1000), 0);
  ArrowArrayStream S;
  ASSERT_EQ(memkit_table_stream(All, &S), nullptr);
  ArrowArray Batch;
  EXPECT_EQ(S.get_next(&S, &Batch), EIO);
  EXPECT_EQ(Batch.release, nullptr);
  EXPECT_NE(strstr(S.get_last_error(&S), "cut: offset "), nullptr);
  EXPECT_NE(strstr(S.get_last_error(&S), "has become shorter"), nullptr);
  // After an error the stream is at its end.
  EXPECT_EQ(S.get_next(&S, &Batch), 0);
  EXPECT_EQ(Batch.release, nullptr);
  S.release(&S);
  memkit_table_free(All);
  memkit_trace_free(T);
  close(Same);
}

/// Checks that E is an error of Kind with What in its message, and frees E.
void expectError(memkit_error *E, enum memkit_error_kind Kind,
                 const char *What) {
  ASSERT_NE(E, nullptr);
  EXPECT_EQ(memkit_error_kind(E), Kind);
  EXPECT_NE(strstr(memkit_error_message(E), What), nullptr)
      << memkit_error_message(E);
  memkit_error_free(E);
}

TEST(Errors, SayWhoseMistakeItIs) {
  memkit_trace *T = nullptr;
  memkit_table *A;
  expectError(memkit_trace_open("/nowhere.fb", &T), MEMKIT_ERROR_TRACE,
              "/nowhere.fb: No such file");
  expectError(memkit_trace_open_fd(textFd(""), "empty.fb", &T),
              MEMKIT_ERROR_TRACE, "empty.fb: empty file");
  expectError(memkit_trace_open(nullptr, &T), MEMKIT_ERROR_REQUEST, "null");
  T = openText(Text);
  expectError(memkit_trace_stats(T, nullptr, "color", &A), MEMKIT_ERROR_REQUEST,
              "cannot group by 'color'; possible: stack, line");
  expectError(memkit_trace_events(T, nullptr, "size,smell", &A),
              MEMKIT_ERROR_REQUEST, "no column 'smell'; events have time_ns");
  expectError(memkit_trace_events(T, nullptr, "size,size", &A),
              MEMKIT_ERROR_REQUEST, "'size' twice");
  expectError(memkit_trace_frames(T, 3, &A), MEMKIT_ERROR_REQUEST,
              "no stack 3; the trace has 2");
  expectError(memkit_trace_series(T, nullptr, 0, &A), MEMKIT_ERROR_REQUEST,
              "1 to 1,000,000");
  memkit_selection *S;
  ASSERT_EQ(memkit_selection_new(&S), nullptr);
  expectError(memkit_selection_set(S, "hep", "x"), MEMKIT_ERROR_REQUEST,
              "no field 'hep'");
  expectError(memkit_selection_set(S, "min-size", "x"), MEMKIT_ERROR_REQUEST,
              "min-size: ");
  ASSERT_EQ(memkit_selection_set(S, "heap", "none*"), nullptr);
  expectError(memkit_trace_stats(T, S, "stack", &A), MEMKIT_ERROR_ANSWER,
              "host.malloc");
  memkit_selection_free(S);
  memkit_trace_free(T);
  memkit_trace_free(nullptr);
  memkit_table_free(nullptr);
  memkit_selection_free(nullptr);
  memkit_error_free(nullptr);
}

} // namespace
