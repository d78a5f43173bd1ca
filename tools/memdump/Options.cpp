// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memdump's options.

#include "Options.h"
#include "Cli/HelpText.h"
#include "Cli/ToolMain.h"
#include "Tables/Answers.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

cl::list<std::string> memkit::Inputs(cl::Positional, cl::desc("[trace]..."),
                                     cl::cat(toolCategory()));
std::string memkit::Input;
cl::opt<std::string> memkit::Output("o", cl::init("-"), cl::value_desc("file"),
                                    cl::desc("Write to this file"),
                                    cl::cat(toolCategory()));
cl::opt<DumpFormat> memkit::OutputFormat(
    "format", cl::desc("What to print:"), cl::init(DumpFormat::Text),
    cl::values(clEnumValN(DumpFormat::Text, "text",
                          "events, for people (default)"),
               clEnumValN(DumpFormat::Markdown, "markdown",
                          "a table, for a pull request"),
               clEnumValN(DumpFormat::Asm, "asm",
                          "the whole trace in text form, for memas"),
               clEnumValN(DumpFormat::Json, "json",
                          "the whole trace, one object a line"),
               clEnumValN(DumpFormat::Csv, "csv", "the events"),
               clEnumValN(DumpFormat::Parquet, "parquet",
                          "a table, for DuckDB, pandas, polars, Spark"),
               clEnumValN(DumpFormat::Arrow, "arrow",
                          "a table, for programs with Arrow"),
               clEnumValN(DumpFormat::TorchSnapshot, "torch-snapshot",
                          "a memory snapshot of PyTorch, for memory_viz")),
    cl::cat(toolCategory()));
cl::list<DumpTable> memkit::WhatTables(
    "table", cl::value_desc("name,..."), cl::CommaSeparated,
    cl::desc("A table in place of the sections (parquet and arrow: events); "
             "with --format=json several in one object:"),
    cl::cat(toolCategory()));
static const bool HasTables = [] {
  for (const auto &[I, A] : enumerate(namedAnswers()))
    WhatTables.getParser().addLiteralOption(A.Name, DumpTable(I), A.About);
  return true;
}();
cl::opt<DumpJob> memkit::What(
    cl::desc("Instead of the sections:"), cl::init(DumpJob::Print),
    cl::values(
        clEnumValN(DumpJob::Summary, "summary", "the summary"),
        clEnumValN(DumpJob::Layers, "layers", "the layers of the model"),
        clEnumValN(DumpJob::Operators, "operators",
                   "calls, times and tensors of each operator"),
        clEnumValN(DumpJob::Kernels, "kernels",
                   "the work of devices by kernel, line and stream"),
        clEnumValN(DumpJob::Programs, "programs",
                   "the compiled programs of JAX, with XLA's plans"),
        clEnumValN(DumpJob::Arrays, "arrays",
                   "the live arrays of JAX at each mark"),
        clEnumValN(DumpJob::Scopes, "scopes", "the program's own scopes"),
        clEnumValN(DumpJob::Steps, "steps", "the steps, for each memory space"),
        clEnumValN(DumpJob::Processes, "processes", "the processes"),
        clEnumValN(DumpJob::Categories, "categories",
                   "categories of the tensors live at the peak"),
        clEnumValN(DumpJob::Oom, "oom",
                   "the memory live at each out-of-memory event"),
        clEnumValN(DumpJob::Holders, "holders",
                   "the names of Python that hold blocks"),
        clEnumValN(DumpJob::Map, "map",
                   "memory map of each device: segments, blocks, holes"),
        clEnumValN(DumpJob::Check, "check",
                   "compare the stats with a replay of the events"),
        clEnumValN(DumpJob::Symbolize, "symbolize",
                   "write a copy with missing symbols added, to -o"),
        clEnumValN(DumpJob::Redact, "redact",
                   "write a copy without paths, command, host and source, to "
                   "-o")),
    cl::cat(toolCategory()));
cl::list<EventColumn> memkit::Columns(
    "columns", cl::CommaSeparated,
    cl::desc("csv, json: one row for each event, with these columns:"),
    cl::values(clEnumValN(EventColumn::Time, "time", "ns since the start"),
               clEnumValN(EventColumn::Process, "process", "pid"),
               clEnumValN(EventColumn::Thread, "thread", "tid"),
               clEnumValN(EventColumn::Kind, "kind",
                          "alloc, free, resize, split; enter, exit of a scope"),
               clEnumValN(EventColumn::Block, "block", "allocation id"),
               clEnumValN(EventColumn::Size, "size", "size of the block"),
               clEnumValN(EventColumn::Heap, "heap", "name of the heap"),
               clEnumValN(EventColumn::Stack, "stack", "root;..;leaf"),
               clEnumValN(EventColumn::Layer, "layer",
                          "innermost layer; adds rows for enter and exit"),
               clEnumValN(EventColumn::ScopePath, "scope_path",
                          "scope path of the allocation"),
               clEnumValN(EventColumn::Scope, "scope",
                          "innermost scope; adds rows for enter and exit"),
               clEnumValN(EventColumn::Allocated, "allocated",
                          "live bytes of the heap after the event"),
               clEnumValN(EventColumn::Reserved, "reserved",
                          "bytes that the allocator has reserved then"),
               clEnumValN(EventColumn::Fragmentation, "fragmentation",
                          "share of the reserved bytes without a block"),
               clEnumValN(EventColumn::Category, "category",
                          "of a tensor: parameter, ...")),
    cl::cat(toolCategory()));
cl::list<std::string> memkit::RedactNames(
    "redact-names", cl::value_desc("pattern"),
    cl::cat(helpGroup(HelpGroup::Expert)),
    cl::desc("--redact: names with this pattern become pseudonyms, too"));
cl::opt<std::string> memkit::RedactKey(
    "redact-key", cl::value_desc("text"), cl::cat(helpGroup(HelpGroup::Expert)),
    cl::desc("--redact: pseudonyms depend on this text, so that nobody can "
             "try names"));
