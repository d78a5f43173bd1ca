#!/bin/sh
# own-tmp.sh FOLDER KEPT COMMAND...: runs COMMAND as pid 1's child, with a new /tmp that is
# mounted at the folder FOLDER first. Where the folder KEPT lies below /tmp it stays there.
folder=$1 kept=$2
shift 2
mkdir -p "$folder" && mount -t tmpfs none "$folder" || exit 1
case $kept in
/tmp/*)
  mkdir -p "$folder/${kept#/tmp/}" && mount --bind "$kept" "$folder/${kept#/tmp/}" || exit 1
  ;;
esac
mount --rbind "$folder" /tmp || exit 1
"$@"
