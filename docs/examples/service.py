# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small service: answers a request each 10 ms, and keeps each answer in a cache.

The cache has no limit, so memory grows with each request. The service ends at SIGTERM, or after
the number of requests in the first argument. Run it recorded, and look while it runs:

    memrec -o service.fb -- python service.py &
    memstat service.fb
"""

import signal
import sys
import time

cache = {}


def answer(request):
    page = ("<p>request %d</p>\n" % request) * 2000
    cache[request] = page
    return page


def main(requests):
    request = 0
    while request != requests:
        answer(request)
        request += 1
        time.sleep(0.01)


def end(*_):
    print("answered", len(cache), "requests", flush=True)
    sys.exit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, end)
    main(int(sys.argv[1]) if len(sys.argv) > 1 else -1)
