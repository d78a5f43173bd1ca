#!/bin/sh
# each-tensorflow.sh FOLDER PYTHON...: records FOLDER/exe with the library of each Python's
# TensorFlow; "same" for each whose heaps have what the program asked for.
set -e
folder=$1
shift
for python; do
  library=$(echo "$(dirname "$(dirname "$python")")"/lib/python3*/site-packages/tensorflow/libtensorflow_framework.so.2)
  env FAKECUDA_DEVICES=2 TF_CPP_MIN_LOG_LEVEL=3 memrec -q -o "$folder/t.fb" -- "$folder/exe" "$library" 2> "$folder/log"
  memdump --check "$folder/t.fb" > "$folder/check"
  memdump --summary "$folder/t.fb" > "$folder/summary"
  tr -s ' ' < "$folder/summary" | sed 's/ at .*//; s/ [0-9.]* [mu]*s$//; s/^ //' |
    grep -E '^(tf|cuda)[^ ]*[.:][^ ]* [0-9]+ [0-9]+ ' > "$folder/heaps"
  diff "$folder/heaps" - > "$folder/difference" << 'END' && echo same || cat "$folder/difference"
cuda.pinned 1 0 2 MiB 2 MiB 1 2 MiB
tf.pinned 1 0 4 KiB 4 KiB 1 4 KiB
cuda:0 2 0 10 MiB 10 MiB 2 10 MiB
cuda:0.device 2 0 10 MiB 10 MiB 2 10 MiB
tf.cuda:0.segments 2 0 10 MiB 10 MiB 2 10 MiB
tf.cuda:0 3 1 8 MiB 8 MiB 2 8 MiB
cuda:1 1 1 2 MiB 0 B 0 2 MiB
cuda:1.device 1 1 2 MiB 0 B 0 2 MiB
tf.cuda:1.segments 1 1 2 MiB 0 B 0 2 MiB
tf.cuda:1 1 1 1 KiB 0 B 0 1 KiB
END
done
