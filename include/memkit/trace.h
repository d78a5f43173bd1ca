/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads memkit traces: libmemkit.so, for C and for every language that calls C.
 *
 *     memkit_trace *trace;
 *     memkit_table *heaps;
 *     struct ArrowArrayStream rows;
 *     memkit_error *error = memkit_trace_open("trace.fb", &trace);
 *     if (!error)
 *       error = memkit_trace_heaps(trace, &heaps);
 *     if (!error)
 *       error = memkit_table_stream(heaps, &rows);
 *     if (error) {
 *       fprintf(stderr, "%s\n", memkit_error_message(error));
 *       memkit_error_free(error);
 *     }
 *
 * An answer is a table of typed columns. Its rows come by the Arrow C stream
 * interface (https://arrow.apache.org/docs/format/CStreamInterface.html), which
 * pyarrow, polars, DuckDB, R, Go and Rust read as they are. Columns and their
 * meaning: docs/Library.md. Sizes are bytes, times nanoseconds since the
 * recording started.
 *
 * Errors. A function that can fail returns null, or an error to be freed with
 * memkit_error_free(); then its result is not set. No call ends the process, by
 * whatever file: memory that is not there is an error, too.
 *
 * Lifetimes. Tables outlive their trace, and streams their table and trace:
 * each keeps what it needs. Free each with its own function. Freeing null does
 * nothing.
 *
 * Threads. Every function may be called in any thread. Calls for one trace wait
 * for each other. A stream belongs to one thread at a time.
 *
 * Version. memkit_trace_abi() is the version of this interface. Version 0 may
 * change until memkit's first release.
 */
#ifndef MEMKIT_TRACE_H
#define MEMKIT_TRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MEMKIT_TRACE_ABI 0

/* Arrow's own definitions, as its specification asks to copy them. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};
#endif

typedef struct memkit_trace memkit_trace;
typedef struct memkit_selection memkit_selection;
typedef struct memkit_table memkit_table;
typedef struct memkit_error memkit_error;

/* MEMKIT_TRACE_ABI of the library. */
int memkit_trace_abi(void);
/* `0.1.0`, of the library. */
const char *memkit_trace_version(void);

/* ---- Errors ---- */

enum memkit_error_kind {
  MEMKIT_ERROR_TRACE = 1,   /* the file cannot be read, or is no trace */
  MEMKIT_ERROR_REQUEST = 2, /* an argument is wrong */
  MEMKIT_ERROR_ANSWER = 3,  /* the trace has no answer to this question */
  MEMKIT_ERROR_MEMORY = 4,
  MEMKIT_ERROR_OTHER = 5
};
enum memkit_error_kind memkit_error_kind(const memkit_error *error);
/* One line of UTF-8, without a line end; lives as long as the error. */
const char *memkit_error_message(const memkit_error *error);
void memkit_error_free(memkit_error *error);

/* ---- Traces ---- */

/* Path: a file, `-` for standard input, or `live:PID` for the moment of a
 * recording that runs. A file that a recorder still writes is read as far as
 * the file has come; memkit_trace_open() again reads on. */
memkit_error *memkit_trace_open(const char *path, memkit_trace **out);
/* Takes the open file fd: closed with the trace, or by this call if it fails.
 * name: for messages. */
memkit_error *memkit_trace_open_fd(int fd, const char *name,
                                   memkit_trace **out);
void memkit_trace_free(memkit_trace *trace);
/* What a user should know (`cut off at ...`), a line each; empty: nothing. Of
 * the questions asked so far; until the next question. */
const char *memkit_trace_warnings(memkit_trace *trace);

/* ---- Selections ---- */

/* Chooses everything. */
memkit_error *memkit_selection_new(memkit_selection **out);
void memkit_selection_free(memkit_selection *selection);
/* Narrows the selection, as the option of memkit's tools of the same name:
 * heap, process, thread, stack, scope, layer (again for alternatives),
 * min-size, since, until, at. */
memkit_error *memkit_selection_set(memkit_selection *selection,
                                   const char *field, const char *value);

/* ---- Questions ----
 * selection: null chooses everything. */

/* The table with a name, as `memdump --table=NAME` has it: blocks, steps, ...
 * The functions below are the same for one name each. */
memkit_error *memkit_trace_table(memkit_trace *, const char *name,
                                 const memkit_selection *, memkit_table **out);
memkit_error *memkit_trace_run(memkit_trace *, memkit_table **out);
memkit_error *memkit_trace_processes(memkit_trace *, memkit_table **out);
memkit_error *memkit_trace_ranks(memkit_trace *, memkit_table **out);
memkit_error *memkit_trace_spaces(memkit_trace *, memkit_table **out);
memkit_error *memkit_trace_heaps(memkit_trace *, memkit_table **out);
memkit_error *memkit_trace_threads(memkit_trace *, const memkit_selection *,
                                   memkit_table **out);
memkit_error *memkit_trace_steps(memkit_trace *, const memkit_selection *,
                                 memkit_table **out);
memkit_error *memkit_trace_layers(memkit_trace *, const memkit_selection *,
                                  memkit_table **out);
memkit_error *memkit_trace_operators(memkit_trace *, const memkit_selection *,
                                     memkit_table **out);
/* Compiled programs of JAX; live arrays of JAX at marks. */
memkit_error *memkit_trace_programs(memkit_trace *, const memkit_selection *,
                                    memkit_table **out);
memkit_error *memkit_trace_arrays(memkit_trace *, const memkit_selection *,
                                  memkit_table **out);
memkit_error *memkit_trace_scopes(memkit_trace *, memkit_table **out);
/* Tensors at the peak of their heap, by category. */
memkit_error *memkit_trace_categories(memkit_trace *, const memkit_selection *,
                                      memkit_table **out);
/* Out-of-memory events. */
memkit_error *memkit_trace_ooms(memkit_trace *, memkit_table **out);
/* Stats by heap and group_by: stack, line, function, file, binary, library,
 * heap, layer or scope. With a moment (`at`), what lives then. */
memkit_error *memkit_trace_stats(memkit_trace *, const memkit_selection *,
                                 const char *group_by, memkit_table **out);
/* The functions of a stack, innermost first; 0: of all stacks. */
memkit_error *memkit_trace_frames(memkit_trace *, uint32_t stack,
                                  memkit_table **out);
/* All events of the selected blocks, in constant memory. columns: names with
 * commas between; null: the usual ones. */
memkit_error *memkit_trace_events(memkit_trace *, const memkit_selection *,
                                  const char *columns, memkit_table **out);
/* Live bytes of each heap in `points` equal parts of the run, and the samples
 * of resident, reserved and used bytes. points: 1 to 1,000,000. */
memkit_error *memkit_trace_series(memkit_trace *, const memkit_selection *,
                                  uint32_t points, memkit_table **out);
/* Memory that was never freed, grows, or outlives its siblings. */
memkit_error *memkit_trace_leaks(memkit_trace *, const memkit_selection *,
                                 memkit_table **out);
/* What changed from one run to another, by line. The selection is of both. */
memkit_error *memkit_trace_differences(memkit_trace *before,
                                       memkit_trace *after,
                                       const memkit_selection *,
                                       memkit_table **out);

/* ---- Tables ---- */

/* The number of rows; -1: not known before all are read. */
int64_t memkit_table_rows(const memkit_table *table);
/* A new stream of all rows, from the first. */
memkit_error *memkit_table_stream(const memkit_table *table,
                                  struct ArrowArrayStream *out);
/* The same as a PyCapsule `arrow_array_stream`, a new reference, for
 * __arrow_c_stream__ of a program that is CPython; its interpreter's lock must
 * be held. Null: *error is set. */
void *memkit_table_capsule(const memkit_table *table, memkit_error **error);
void memkit_table_free(memkit_table *table);

#ifdef __cplusplus
}
#endif

#endif /* MEMKIT_TRACE_H */
