# demo.py COMMAND...: the title of the page of `COMMAND demo`, alone and with --compare.
import re
import subprocess
import sys
import urllib.request

for options in ([], ["--compare"]):
    command = [*sys.argv[1:], "demo", "--no-open", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as demo:
        for line in demo.stdout:
            address = re.search(r"http://\S+", line)
            if address:
                page = urllib.request.urlopen(address.group()).read().decode()
                print(re.search("<title>(.*?)</title>", page).group(1))
                break
        demo.terminate()
