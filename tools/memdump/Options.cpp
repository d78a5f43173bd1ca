// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memdump's options.

#include "Options.h"
#include "Cli/ToolMain.h"

using namespace llvm;
using namespace memkit;

cl::opt<std::string> memkit::Input(cl::Positional, cl::init("-"),
                                   cl::desc("[trace]"),
                                   cl::cat(toolCategory()));
cl::opt<std::string> memkit::Output("o", cl::init("-"), cl::value_desc("file"),
                                    cl::desc("write to file (-)"),
                                    cl::cat(toolCategory()));
cl::opt<DumpFormat> memkit::OutputFormat(
    "format", cl::desc("what to print:"), cl::init(DumpFormat::Text),
    cl::values(
        clEnumValN(DumpFormat::Text, "text", "events, for people (default)"),
        clEnumValN(DumpFormat::Asm, "asm", "all of it, as memas reads it"),
        clEnumValN(DumpFormat::Json, "json", "all of it, an object a line"),
        clEnumValN(DumpFormat::Csv, "csv", "the events")),
    cl::cat(toolCategory()));
cl::opt<DumpJob> memkit::What(
    cl::desc("instead of the sections:"), cl::init(DumpJob::Print),
    cl::values(
        clEnumValN(DumpJob::Summary, "summary", "what the trace holds"),
        clEnumValN(DumpJob::Layers, "layers", "the layers of the model"),
        clEnumValN(DumpJob::Scopes, "scopes", "the program's own scopes"),
        clEnumValN(DumpJob::Steps, "steps", "the steps, of each memory space"),
        clEnumValN(DumpJob::Processes, "processes", "the processes"),
        clEnumValN(DumpJob::Categories, "categories",
                   "what tensors at the peak are"),
        clEnumValN(DumpJob::Oom, "oom",
                   "what lived when memory could not be had"),
        clEnumValN(DumpJob::Map, "map",
                   "what lies where on each device, and what is free"),
        clEnumValN(DumpJob::Check, "check",
                   "whether the sums are those of the events"),
        clEnumValN(DumpJob::Symbolize, "symbolize",
                   "the trace with the symbols that it lacks, to -o")),
    cl::cat(toolCategory()));
cl::list<EventColumn> memkit::Columns(
    "columns", cl::CommaSeparated,
    cl::desc("csv, json: a row for each event, of these columns:"),
    cl::values(
        clEnumValN(EventColumn::Time, "time", "ns since the start"),
        clEnumValN(EventColumn::Process, "process", "pid"),
        clEnumValN(EventColumn::Thread, "thread", "tid"),
        clEnumValN(EventColumn::Kind, "kind",
                   "alloc, free, resize, split; enter, exit of a layer"),
        clEnumValN(EventColumn::Block, "block", "its number in its process"),
        clEnumValN(EventColumn::Size, "size", "of the block"),
        clEnumValN(EventColumn::Heap, "heap", ""),
        clEnumValN(EventColumn::Stack, "stack", "root;..;leaf"),
        clEnumValN(EventColumn::Layer, "layer", "the innermost; adds rows"),
        clEnumValN(EventColumn::ScopePath, "scope_path", "of the allocation"),
        clEnumValN(EventColumn::Allocated, "allocated",
                   "what lives in the heap then"),
        clEnumValN(EventColumn::Reserved, "reserved",
                   "what its allocator holds then"),
        clEnumValN(EventColumn::Fragmentation, "fragmentation",
                   "the share of that which no block has")),
    cl::cat(toolCategory()));
