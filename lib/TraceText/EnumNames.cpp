// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of the text form for enum values.

#include "EnumNames.h"
#include <algorithm>
#include <iterator>

using llvm::StringLiteral;

namespace memkit {

static constexpr StringLiteral FrameKinds[] = {"native", "python", "named",
                                               "unknown"};
static constexpr StringLiteral ScopeKinds[] = {"layer", "operator", "range",
                                               "user",  "phase",    "line"};
static constexpr StringLiteral ProcessOrigins[] = {"start", "fork", "exec",
                                                   "spawn"};
static constexpr StringLiteral EventKinds[] = {"alloc", "free", "resize",
                                               "split"};
static constexpr StringLiteral MarkKinds[] = {
    "clock",      "step",      "user",        "range-begin",
    "range-end",  "rss",       "device-used", "heap-reserved",
    "oom",        "alert",     "loss",        "process-end",
    "scope-name", "record-on", "record-off",  "block-name",
    "pss",        "version",   "resident",    "resident-piece",
    "held-by",    "allocator", "sample-cost", "program",
    "arrays",     "recorder"};
static constexpr StringLiteral ResidentParts[] = {
    "malloc",   "malloc-free", "object",   "object-free", "mapping",
    "stack",    "module",      "file",     "shared",      "device",
    "reserved", "inherited",   "recorder", "other",       "pinned"};
static constexpr StringLiteral LossKinds[] = {
    "ring-full",   "table-full",  "unknown-free", "double-allocate",
    "bad-record",  "no-ring",     "events",       "not-imported",
    "device-work", "device-spans"};
static constexpr StringLiteral WorkKinds[] = {
    "kernel",    "copy-to-device", "copy-to-host", "copy-on-device",
    "copy-peer", "copy-other",     "memset",       "graph"};

static constexpr StringLiteral TensorCategories[] = {
    "unknown",    "parameter", "gradient",  "optimizer-state",
    "activation", "input",     "temporary", "none"};
static constexpr StringLiteral IntervalDetailNames[] = {"none", "changed",
                                                        "whole"};

static constexpr StringLiteral OomKinds[] = {"failed", "killed"};
static constexpr StringLiteral LimitKinds[] = {
    "unknown", "address-space", "data", "group", "machine", "device"};

static_assert(std::size(FrameKinds) == NumFrameKinds);
static_assert(std::size(ScopeKinds) == NumScopeKinds);
static_assert(std::size(ProcessOrigins) == NumProcessOrigins);
static_assert(std::size(EventKinds) == NumEventKinds);
static_assert(std::size(MarkKinds) == NumMarkKinds);
static_assert(std::size(ResidentParts) == NumResidentParts);
static_assert(std::size(LossKinds) == NumLossKinds);
static_assert(std::size(WorkKinds) == NumWorkKinds);
static_assert(std::size(TensorCategories) == size_t(TensorCategory::None) + 1);
static_assert(std::size(IntervalDetailNames) == NumIntervalDetails);
static_assert(std::size(OomKinds) == NumOomKinds);
static_assert(std::size(LimitKinds) == NumLimitKinds);

EnumNames enumNames(FrameKind) { return FrameKinds; }
EnumNames enumNames(ScopeKind) { return ScopeKinds; }
EnumNames enumNames(ProcessOrigin) { return ProcessOrigins; }
EnumNames enumNames(EventKind) { return EventKinds; }
EnumNames enumNames(MarkKind) { return MarkKinds; }
EnumNames enumNames(ResidentPart) { return ResidentParts; }
EnumNames enumNames(LossKind) { return LossKinds; }
EnumNames enumNames(WorkKind) { return WorkKinds; }
EnumNames enumNames(TensorCategory) { return TensorCategories; }
EnumNames enumNames(IntervalDetail) { return IntervalDetailNames; }
EnumNames enumNames(OomKind) { return OomKinds; }
EnumNames enumNames(LimitKind) { return LimitKinds; }

static std::string withDashAs(char C, TensorCategory K) {
  std::string Name = enumName(K).str();
  std::replace(Name.begin(), Name.end(), '-', C);
  return Name;
}

std::string categoryName(TensorCategory K) { return withDashAs(' ', K); }

std::string categoryKey(TensorCategory K) { return withDashAs('_', K); }

} // namespace memkit
