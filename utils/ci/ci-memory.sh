#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Watches the memory of a program in CI, or by hand: records the program, compares with the base
# branch, and tells the pull request. The action .github/actions/memory and memory.gitlab-ci.yml
# call these steps (docs/HowTo/CompareInCI.md):
#
#   ci-memory.sh install              get memkit from $MEMKIT_URL: a wheel, or an archive
#   ci-memory.sh record [PROGRAM...]  record PROGRAM, or sh's command $MEMORY_RUN, $MEMORY_RUNS times
#   ci-memory.sh compare              compare with the baseline, write comment.md
#   ci-memory.sh sarif                write leaks.sarif
#   ci-memory.sh page                 write page.html
#   ci-memory.sh metrics              write metrics.txt, in the format OpenMetrics
#   ci-memory.sh history              add a row to history.csv, draw history.svg
#   ci-memory.sh keep                 make the recordings the new baseline
#   ci-memory.sh comment              put comment.md into the pull request
#   ci-memory.sh finish               end with the status of compare
#
# The files are in the folder ci-memory, or in ci-memory/$MEMORY_NAME. Numbers are those of the
# recording with the median peak, of the memory space $MEMORY_SPACE (host).
#
# Exit status of compare and finish: 0 if no condition of $MEMORY_FAIL_ON holds, or if there is no
# baseline yet; 3 if a condition holds; 1 or 2 if there is no result.
set -eu

runs=${MEMORY_RUNS:-3}
fail_on=${MEMORY_FAIL_ON:-lost,peak>+5%,live>+1MiB}
base=${MEMORY_BASE:-main}
name=${MEMORY_NAME:-memory}
folder=ci-memory${MEMORY_NAME:+/$MEMORY_NAME}
history_rows=200
history_header=date,commit,peak_bytes,live_bytes,allocated_bytes

say() {
  printf 'ci-memory: %s\n' "$*" >&2
}

fail() {
  say "$*"
  exit 1
}

# Counts bytes, and writes numbers with a point. The recorded program keeps its own locale.
awk() {
  LC_ALL=C command awk "$@"
}

# Gives a value to later steps of a job on GitHub.
output() {
  printf '%s=%s\n' "$1" "$2" >> "${GITHUB_OUTPUT:-/dev/null}"
}

summarize() {
  cat >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
}

# Writes comment.md, and shows the comment in the summary of the job.
write_comment() {
  cat > "$folder/comment.md"
  output comment "$folder/comment.md"
  summarize < "$folder/comment.md"
}

has_traces() {
  ls "$1"/*.fb > /dev/null 2>&1
}

need_recordings() {
  test -s "$folder/recorded/runs.txt" || fail "nothing is recorded"
}

install_archive() {
  target=${MEMKIT_FOLDER:-$HOME/memkit}
  mkdir -p "$target"
  archive=$MEMKIT_URL
  if ! test -f "$archive"; then
    archive=$target/memkit.tar.gz
    curl -fsSL -o "$archive" "$MEMKIT_URL"
  fi
  tar xzf "$archive" -C "$target" --strip-components=1
  PATH=$target/bin:$PATH
  # The next steps of the job find the tools.
  echo "$target/bin" >> "${GITHUB_PATH:-/dev/null}"
}

install() {
  case ${MEMKIT_URL:-} in
  '')
    command -v memrec > /dev/null ||
      fail "memrec is not on PATH: set MEMKIT_URL, the address of a wheel or an archive of memkit"
    ;;
  *.whl)
    python3 -m pip install --quiet --disable-pip-version-check "$MEMKIT_URL" ||
      fail "pip could not install the wheel; an archive of memkit needs no pip"
    ;;
  *) install_archive ;;
  esac
  memrec --version
}

# Prints "PEAK LIVE ALLOCATED" of a trace, in bytes.
numbers() {
  table=$(memdump --table=spaces --format=csv "$1") || return
  printf '%s\n' "$table" | awk -F, -v space="${MEMORY_SPACE:-host}" '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    $column["space"] == space {
      peak = $column["peak_bytes"]; live = $column["live_bytes"]; allocated = $column["allocated_bytes"]
    }
    END { printf "%.0f %.0f %.0f\n", peak, live, allocated }'
}

# Prints "PEAK LIVE ALLOCATED FILE" of the recording in a folder that has the median peak.
median() {
  sort -n "$1/runs.txt" | awk '{ row[NR] = $0 } END { print row[int((NR + 1) / 2)] }'
}

median_trace() {
  echo "$1/$(median "$1" | cut -d ' ' -f 4)"
}

no_recording() {
  echo "Memory: no result, because the program ended with status $1." | write_comment
  fail "no result: the program ended with status $1"
}

record() {
  case $runs in
  '' | 0* | *[!0-9]*)
    say "MEMORY_RUNS is '$runs': a number from 1 on"
    exit 2
    ;;
  esac
  if test $# -eq 0; then
    test -n "${MEMORY_RUN:-}" || fail "no program: give it as arguments, or in MEMORY_RUN"
    # The shell reads quotes, pipes and several lines. Its children are recorded.
    set -- sh -ec "$MEMORY_RUN"
  fi
  command -v memrec > /dev/null || fail "memrec is not on PATH"
  rm -rf "$folder/recorded" "$folder/comment.md" "$folder/status"
  mkdir -p "$folder/recorded"
  run=1
  while test "$run" -le "$runs"; do
    memrec -q -o "$folder/recorded/$run.fb" -- "$@" || no_recording $?
    row=$(numbers "$folder/recorded/$run.fb") || fail "no result: the recording cannot be read"
    echo "$row $run.fb" >> "$folder/recorded/runs.txt"
    run=$((run + 1))
  done
  output trace "$(median_trace "$folder/recorded")"
}

# Says what compare found, keeps it for finish, and ends.
conclude() {
  say "$2"
  printf '%s %s\n' "$1" "$2" > "$folder/status"
  output status "$1"
  exit "$1"
}

compare() {
  need_recordings
  # Until there is a result.
  echo "1 no result" > "$folder/status"
  if ! has_traces "$folder/baseline"; then
    echo "Memory: no baseline yet. The next push to the main branch makes one." | write_comment
    conclude 0 "no baseline yet: nothing to compare"
  fi
  status=0
  memdiff --format=markdown --before-name="$base" --after-name="${MEMORY_CHANGE:-this change}" \
    --fail-on="$fail_on" "$folder"/baseline/*.fb -- "$folder"/recorded/*.fb -o "$folder/new.md" \
    2> "$folder/errors.txt" || status=$?
  case $status in
  0 | 3)
    cat "$folder/errors.txt" >&2
    write_comment < "$folder/new.md"
    ;;
  *) write_error "$status" < "$folder/errors.txt" ;;
  esac
  error=$(grep error: "$folder/errors.txt" | head -n 1 || true)
  rm -f "$folder/new.md" "$folder/errors.txt"
  case $status in
  0) conclude 0 "no condition holds" ;;
  3) conclude 3 "a condition holds; comment.md has the lines" ;;
  *) conclude "$status" "no result: ${error:-memdiff ended with status $status}" ;;
  esac
}

write_error() {
  {
    echo "Memory: no result, because memdiff ended with status $1:"
    echo
    sed 's/^/    /'
  } | write_comment
}

sarif() {
  need_recordings
  memleak -q --format=sarif -o "$folder/leaks.sarif" "$(median_trace "$folder/recorded")"
  output sarif "$folder/leaks.sarif"
}

# With a baseline, the page shows the change.
page() {
  need_recordings
  set -- "$(median_trace "$folder/recorded")"
  if test -s "$folder/baseline/runs.txt"; then
    before=$(median_trace "$folder/baseline")
    # compare has said what is wrong with a broken one.
    if test -f "$before" && memdump --table=run "$before" > /dev/null 2>&1; then
      set -- "$before" "$@"
    fi
  fi
  memview -q -o "$folder/page.html" "$@"
  output page "$folder/page.html"
}

metrics() {
  need_recordings
  median "$folder/recorded" | awk '
    function gauge(name, value) {
      printf "# TYPE %s gauge\n# UNIT %s bytes\n%s %s\n", name, name, name, value
    }
    {
      gauge("memory_peak_bytes", $1)
      gauge("memory_live_bytes", $2)
      gauge("memory_allocated_bytes", $3)
      print "# EOF"
    }' > "$folder/metrics.txt"
}

# The commit that is recorded, without characters that mean something in CSV.
commit() {
  found=${GITHUB_SHA:-${CI_COMMIT_SHA:-}}
  if test -z "$found"; then
    found=$(git rev-parse HEAD 2> /dev/null || echo unknown)
  fi
  found=$(printf %s "$found" | tr -cd 'A-Za-z0-9._-')
  echo "${found:-unknown}"
}

# Reads history.csv, and writes it with a new row. Who runs a job again gets one row for the commit.
add_row() {
  awk -F, -v row="$1" -v header="$history_header" -v rows="$history_rows" -v file="$folder/history.csv" '
    function is_size(text) { return text ~ /^[0-9]+$/ && length(text) <= 15 }
    BEGIN { split(row, new, ",") }
    { sub(/\r$/, "") }
    $0 == "" || NR == 1 && $0 == header { next }
    NF != 5 || $1 !~ /^[0-9][0-9-]+T[0-9:]+Z$/ || $2 !~ /^[A-Za-z0-9._-]+$/ ||
      !is_size($3) || !is_size($4) || !is_size($5) { broken++; next }
    $2 != new[2] || $2 == "unknown" { kept[++count] = $0 }
    END {
      if (broken)
        printf "ci-memory: %s: broken rows left out: %d\n", file, broken > "/dev/stderr"
      print header
      for (i = count < rows ? 1 : count - rows + 2; i <= count; i++)
        print kept[i]
      print row
    }'
}

# Reads a title and history.csv, and draws the peaks. The range is a tenth of the highest peak, or
# more, so that noise is no mountain.
draw() {
  awk -F, '
    function escaped(text) {
      gsub(/[^ -~]/, "?", text)
      gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text)
      gsub(/"/, "\\&quot;", text)
      return text
    }
    function size(bytes,   unit) {
      for (unit = 1; bytes >= 1024 && unit < 5; unit++)
        bytes /= 1024
      return sprintf(bytes >= 100 ? "%.0f %s" : "%.3g %s", bytes, units[unit])
    }
    function x(i) { return count == 1 ? 312 : 8 + 304 * (i - 1) / (count - 1) }
    function y(peak) { return 40 - 28 * (peak - middle) / range }
    function label(at, anchor, i) {
      printf "<text x=\"%d\" y=\"74\" text-anchor=\"%s\">%s, %s</text>\n", at, anchor, size(peaks[i]), dates[i]
    }
    BEGIN { split("B KiB MiB GiB TiB", units, " ") }
    NR == 1 { title = $0 }
    NR > 2 {
      peaks[++count] = $3; dates[count] = substr($1, 1, 10)
      if (count == 1 || $3 + 0 > most) most = $3 + 0
      if (count == 1 || $3 + 0 < least) least = $3 + 0
    }
    END {
      middle = (most + least) / 2
      range = most - least > most / 10 ? most - least : most / 10
      if (range == 0) range = 1
      print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 320 80\" width=\"320\" height=\"80\" role=\"img\">"
      print "<title>" escaped(title) "</title>"
      print "<style>svg { color: #1f2328; font: 10px sans-serif }"
      print "@media (prefers-color-scheme: dark) { svg { color: #e6edf3 } }</style>"
      print "<g fill=\"currentColor\">"
      printf "<text x=\"8\" y=\"14\">%s</text>\n", escaped(substr(title, 1, 60))
      if (count > 1) label(8, "start", 1)
      label(312, "end", count)
      printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>\n</g>\n", x(count), y(peaks[count])
      printf "<polyline fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\" points=\""
      for (i = 1; i <= count; i++)
        printf "%s%.1f,%.1f", (i > 1 ? " " : ""), x(i), y(peaks[i])
      print "\"/>\n</svg>"
    }'
}

history() {
  need_recordings
  row=$(date -u +%Y-%m-%dT%H:%M:%SZ),$(commit),$(median "$folder/recorded" | cut -d ' ' -f 1-3 | tr ' ' ,)
  touch "$folder/history.csv"
  add_row "$row" < "$folder/history.csv" > "$folder/history.new"
  mv "$folder/history.new" "$folder/history.csv"
  {
    printf %s "${MEMORY_NAME:+$name: }peak of memory on $base" | tr '\n' ' '
    echo
    cat "$folder/history.csv"
  } | draw > "$folder/history.svg"
  printf '| %s |\n' "$(echo "$history_header" | sed 's/,/ | /g')" '--- | --- | ---: | ---: | ---:' \
    "$(echo "$row" | sed 's/,/ | /g')" | summarize
  output history "$folder/history.csv"
}

keep() {
  need_recordings
  rm -rf "$folder/baseline"
  cp -R "$folder/recorded" "$folder/baseline"
}

# Finds the comment of an earlier run, so that the pull request has one comment of each program.
github_comment() {
  issues=repos/$GITHUB_REPOSITORY/issues
  earlier=$(gh api --paginate "$issues/$PULL_REQUEST/comments" \
    --jq ".[] | select(.body | startswith(\"$mark\")) | .id") || return
  earlier=$(printf '%s\n' "$earlier" | head -n 1)
  if test -n "$earlier"; then
    gh api --method PATCH "$issues/comments/$earlier" -F "body=@$folder/post.md" > /dev/null
  else
    gh api --method POST "$issues/$PULL_REQUEST/comments" -F "body=@$folder/post.md" > /dev/null
  fi
}

# The token is not among curl's arguments, which other processes can read.
gitlab_api() {
  printf 'header = "PRIVATE-TOKEN: %s"\n' "$MEMORY_TOKEN" | curl -fsS --config - "$@"
}

# Prints the id of the note that begins with $mark. A note begins with {"id":N, and so does its author.
gitlab_note() {
  awk '{ gsub(/\{"id": */, "\n"); print }' |
    awk -v body="\"body\":\"$mark" 'index($0, body) { print $0 + 0; exit }'
}

gitlab_comment() {
  notes=$CI_API_V4_URL/projects/$CI_MERGE_REQUEST_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes
  earlier=$(gitlab_api "$notes?per_page=100&sort=asc") || return
  earlier=$(printf '%s\n' "$earlier" | gitlab_note)
  if test -n "$earlier"; then
    gitlab_api --request PUT --data-urlencode "body@$folder/post.md" "$notes/$earlier" > /dev/null
  else
    gitlab_api --request POST --data-urlencode "body@$folder/post.md" "$notes" > /dev/null
  fi
}

# A token is missing, or may not write, in a pull request from a fork: that is no failure.
comment() {
  # Of all Markdown, a definition of a link shows nothing.
  mark="[memkit $name]: #"
  if ! test -f "$folder/comment.md"; then
    say "no comment: nothing was compared"
    return
  fi
  {
    echo "$mark"
    echo
    cat "$folder/comment.md"
    if test -f "$folder/page.html" && test -n "${MEMORY_PAGE_URL:-}"; then
      echo
      echo "[The traces as a page]($MEMORY_PAGE_URL)"
    fi
  } > "$folder/post.md"
  if test -n "${GITLAB_CI:-}"; then
    host=gitlab token=${MEMORY_TOKEN:-} request=${CI_MERGE_REQUEST_IID:-} place="the artifacts have comment.md"
  else
    host=github token=${GH_TOKEN:-} request=${PULL_REQUEST:-} place="the summary of the job has the table"
  fi
  if test -z "$request"; then
    say "no comment: this is no pull request; $place"
  elif test -z "$token"; then
    say "no comment: there is no token; $place"
  elif ! "${host}_comment"; then
    say "no comment: the token may not write, or the host does not answer; $place"
  fi
  rm -f "$folder/post.md"
}

finish() {
  status=0 reason="nothing was compared"
  if test -f "$folder/status"; then
    read -r status reason < "$folder/status"
  fi
  say "$reason"
  exit "$status"
}

case ${MEMORY_NAME:-} in
.* | *[!A-Za-z0-9._-]*)
  say "MEMORY_NAME is '$MEMORY_NAME': letters, digits, '.', '_' and '-' only"
  exit 2
  ;;
esac
step=${1:-}
case $step in
install | record | compare | sarif | page | metrics | history | keep | comment | finish)
  shift
  "$step" "$@"
  ;;
*)
  say "the steps are install, record, compare, sarif, page, metrics, history, keep, comment, finish"
  exit 2
  ;;
esac
