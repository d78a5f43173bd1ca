/* Asks every question of memkit/trace.h about a trace, and reads all rows. */
#include "memkit/trace.h"
#include <stdlib.h>

static long Errors, Batches;

/* Whether there is no error; each error has a message. */
static int fine(memkit_error *Error) {
  if (!Error)
    return 1;
  ++Errors;
  if (!*memkit_error_message(Error) || !memkit_error_kind(Error))
    abort();
  memkit_error_free(Error);
  return 0;
}

static void readRows(const memkit_table *Table) {
  struct ArrowArrayStream Rows;
  struct ArrowSchema Schema;
  struct ArrowArray Batch;
  int Status = 0;
  if (!fine(memkit_table_stream(Table, &Rows)))
    return;
  if (!Rows.get_schema(&Rows, &Schema))
    Schema.release(&Schema);
  for (;;) {
    Status = Rows.get_next(&Rows, &Batch);
    if (Status || !Batch.release)
      break;
    ++Batches;
    Batch.release(&Batch);
  }
  if (Status) {
    ++Errors;
    if (!Rows.get_last_error(&Rows))
      abort();
  }
  Rows.release(&Rows);
}

static void answer(memkit_error *Error, memkit_table *Table) {
  if (!fine(Error))
    return;
  readRows(Table);
  memkit_table_free(Table);
}

static void askSelected(memkit_trace *T, memkit_selection *S) {
  memkit_table *A = NULL;
  answer(memkit_trace_steps(T, S, &A), A);
  answer(memkit_trace_layers(T, S, &A), A);
  answer(memkit_trace_operators(T, S, &A), A);
  answer(memkit_trace_programs(T, S, &A), A);
  answer(memkit_trace_arrays(T, S, &A), A);
  answer(memkit_trace_threads(T, S, &A), A);
  answer(memkit_trace_categories(T, S, &A), A);
  answer(memkit_trace_stats(T, S, "stack", &A), A);
  answer(memkit_trace_stats(T, S, "line", &A), A);
  answer(memkit_trace_stats(T, S, "layer", &A), A);
  answer(memkit_trace_events(T, S, "time_ns,rank,block,size,stack,layer,scope", &A), A);
  answer(memkit_trace_leaks(T, S, &A), A);
  answer(memkit_trace_series(T, S, 10, &A), A);
  answer(memkit_trace_differences(T, T, S, &A), A);
}

static void askAll(memkit_trace *T) {
  memkit_selection *Some;
  memkit_table *A = NULL;
  answer(memkit_trace_run(T, &A), A);
  answer(memkit_trace_heaps(T, &A), A);
  answer(memkit_trace_processes(T, &A), A);
  answer(memkit_trace_spaces(T, &A), A);
  answer(memkit_trace_scopes(T, &A), A);
  answer(memkit_trace_ooms(T, &A), A);
  answer(memkit_trace_events(T, NULL, NULL, &A), A);
  askSelected(T, NULL);
  answer(memkit_trace_frames(T, 0, &A), A);
  answer(memkit_trace_stats(T, NULL, "library", &A), A);
  answer(memkit_trace_stats(T, NULL, "scope", &A), A);
  if (fine(memkit_selection_new(&Some))) {
    if (fine(memkit_selection_set(Some, "at", "peak")) &&
        fine(memkit_selection_set(Some, "min-size", "16")))
      askSelected(T, Some);
    memkit_selection_free(Some);
  }
  memkit_trace_warnings(T);
}
