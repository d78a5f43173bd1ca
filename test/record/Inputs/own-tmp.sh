#!/bin/sh
# Runs its arguments with a /tmp of its own, as pid 1's child.
mount -t tmpfs none /tmp || exit 1
"$@"
