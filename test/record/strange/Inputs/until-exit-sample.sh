# until-exit-sample.sh TRACE JSON COMMAND...: records until the trace has the sample at the exit. The program
# waits a bounded time for that sample, which a busy machine may exceed.
trace=$1 json=$2
shift 2
for try in 1 2 3 4 5 6; do
  memrec -q -o "$trace" --malloc-info -- "$@" && memstat --format=json "$trace" > "$json" || exit 1
  grep -q '"exit": {' "$json" && exit
done
exit 1
