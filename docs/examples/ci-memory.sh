#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares the memory of a program with the memory on the main branch, in CI or
# by hand. docs/HowTo/CompareInCI.md has a workflow that calls each step:
#
#   ci-memory.sh install             unpack memkit from the archive $MEMKIT_URL
#   ci-memory.sh record PROGRAM...   record PROGRAM $MEMORY_RUNS times (3)
#   ci-memory.sh compare             compare with the baseline, write comment.md
#   ci-memory.sh comment             put comment.md into pull request $PULL_REQUEST
#   ci-memory.sh keep                make the recordings the new baseline
#
# Exit status of compare: 0 if no condition of $MEMORY_FAIL_ON holds, or if there
# is no baseline yet; 3 if a condition holds; 1 or 2 if there is no result.
set -eu

runs=${MEMORY_RUNS:-3}
fail_on=${MEMORY_FAIL_ON:-lost,peak>+5%,live>+1MiB}

say() {
  echo "ci-memory: $*" >&2
}

install() {
  if test -z "${MEMKIT_URL:-}"; then
    say "MEMKIT_URL is empty: set the address of an archive of memkit"
    exit 1
  fi
  folder=${MEMKIT_FOLDER:-$HOME/memkit}
  mkdir -p "$folder"
  curl -fsSL -o "$folder/memkit.tar.gz" "$MEMKIT_URL"
  tar xzf "$folder/memkit.tar.gz" -C "$folder" --strip-components=1
  # The next steps of the workflow find the tools.
  echo "$folder/bin" >> "${GITHUB_PATH:-/dev/null}"
  "$folder/bin/memrec" --version
}

record() {
  rm -rf recorded
  mkdir recorded
  run=1
  while test "$run" -le "$runs"; do
    memrec -q -o "recorded/$run.fb" -- "$@" || {
      say "no result: the program ended with status $?"
      exit 1
    }
    run=$((run + 1))
  done
}

# Writes comment.md, and shows the comment in the summary of the job.
write_comment() {
  cat > comment.md
  cat comment.md >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
}

compare() {
  rm -f comment.md
  if ! ls baseline/*.fb > /dev/null 2>&1; then
    say "no baseline yet: nothing to compare"
    echo "Memory: no baseline yet. The next push to the main branch makes one." | write_comment
    exit 0
  fi
  status=0
  memdiff --format=markdown --before-name=main --after-name="${MEMORY_NAME:-this change}" \
    --fail-on="$fail_on" baseline/*.fb -- recorded/*.fb -o new.md 2> errors.txt || status=$?
  cat errors.txt >&2
  case $status in
  0)
    say "no condition holds"
    write_comment < new.md
    ;;
  3)
    say "a condition holds; comment.md has the lines"
    write_comment < new.md
    ;;
  *)
    say "no result: memdiff ended with status $status"
    {
      echo "Memory: no result, because memdiff ended with status $status:"
      echo
      sed 's/^/    /' errors.txt
    } | write_comment
    ;;
  esac
  rm -f new.md errors.txt
  exit "$status"
}

comment() {
  if ! test -f comment.md; then
    say "no comment: compare did not run"
  elif ! gh pr comment "${PULL_REQUEST:-}" --edit-last --create-if-none --body-file comment.md; then
    # In a pull request from a fork the token may not write.
    say "no comment: gh failed; the summary of the job has the table"
  fi
}

keep() {
  rm -rf baseline
  mv recorded baseline
}

step=${1:-}
case $step in
install | record | compare | comment | keep)
  shift
  "$step" "$@"
  ;;
*)
  say "the steps are install, record, compare, comment, keep"
  exit 2
  ;;
esac
