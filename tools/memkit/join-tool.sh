#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# join-tool.sh LD NM OBJCOPY TOOL OUTPUT OBJECT...: one object of all objects of a tool, which
# can be linked with those of other tools. Its main() becomes memkit_main_TOOL, its constructors
# stand in the section memkit_init_TOOL and run when the tool is chosen: options of the same name
# in two tools would else meet. What the tools' functions share by inlining stays shared.
set -eu
ld=$1 nm=$2 objcopy=$3 tool=$4 output=$5
shift 5
"$ld" -r -o "$output" "$@"
# Some tools have no function that other files see.
{
  echo memkit_no_symbol
  "$nm" "$output" | awk '$2 ~ /^[BDRT]$/ && $3 != "main" { print $3 }'
} > "$output.local"
"$objcopy" --localize-symbols="$output.local" --redefine-sym main=memkit_main_"$tool" \
  --rename-section .init_array=memkit_init_"$tool" "$output"
# Constructors with a priority, or destructors, would not run as they should.
if objdump -h "$output" | grep -E "\.(init_array|fini_array|ctors|dtors)"; then
  echo "$tool: constructors or destructors that cannot be held back" >&2
  exit 1
fi
