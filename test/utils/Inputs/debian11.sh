set -e
ldd --version | head -1
cd /tmp
PATH=/opt/memkit/bin:/usr/bin:/bin
memrec -q -o t.fb -- python3 /opt/memkit/keeps.py
memstat t.fb
memleak t.fb | sed 's/^/leaked: /'
memtop --once t.fb
memview -o page.html t.fb && head -c 100 page.html
memflame t.fb > /dev/null
memdiff t.fb t.fb > /dev/null
memdump --format=asm t.fb | memas - -o u.fb
memkit dump --check u.fb && echo all sums
PYTHONPATH=/opt/memkit/share/memkit/python python3 -c "
import memkit, sys
trace = memkit.open('/tmp/t.fb')
assert len(trace.events()) > 100 and trace.stacks(group_by='line', at='end')
print('read by Python', sys.version.split()[0])"
