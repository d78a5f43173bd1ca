"""weak.py NAMES TO.c: a C file that refers weakly to each name."""
import sys

names = [line.strip() for line in open(sys.argv[1])]
with open(sys.argv[2], "w") as out:
    for number, name in enumerate(names):
        print('extern int f%d(void) __asm__("%s") __attribute__((weak));' % (number, name), file=out)
    print("static struct { const char *Name; int (*Word)(void); } Words[] = {", file=out)
    for number, name in enumerate(names):
        print('  {"%s", f%d},' % (name, number), file=out)
    print("};\nenum { NumNames = %d };\nstatic int code(int I) {\n  switch (I) {" % len(names), file=out)
    for number, name in enumerate(names):
        print("  case %d: return f%d != 0;" % (number, number), file=out)
    print("  }\n  return 0;\n}", file=out)
