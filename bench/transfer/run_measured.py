"""Runs one command to its end, and tells in one line of JSON what it took and said."""

import json
import resource
import subprocess
import sys
import time

given = json.load(sys.stdin)
started = time.monotonic()
ended = subprocess.run(
    given["command"],
    cwd=given["home"],
    env=given["env"],
    input=given["input"],
    capture_output=True,
    text=True,
)
seconds = time.monotonic() - started
# Of the one child that there was: its peak is what Linux calls VmHWM.
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(
    json.dumps(
        {
            "seconds": seconds,
            "cpuSeconds": used.ru_utime + used.ru_stime,
            "peakMegabytes": used.ru_maxrss / 1024,
            "code": ended.returncode,
            "stdout": ended.stdout,
            "stderr": ended.stderr,
        }
    )
)
