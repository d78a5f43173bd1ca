"""Reads a small configuration and prints a summary."""
import sys

TEXT = """
[server]
port = 8080
host = example.org
[limits]
memory = 512
users = 40
[paths]
data = /var/lib/app
log = /var/log/app
"""


class ConfigError(Exception):
    pass


CALLS = []


def logged(function):
    """Notes each call."""

    def wrapper(*arguments):
        CALLS.append(function.__name__)
        return function(*arguments)

    return wrapper


@logged
def parse(text):
    sections = {}
    current = None
    for line in text.splitlines():
        line = line.strip()
        if not line:
            continue
        if line.startswith("["):
            current = sections.setdefault(line[1:-1], {})
        elif current is None:
            raise ConfigError(line)
        else:
            key, _, value = line.partition("=")
            current[key.strip()] = convert(value.strip())
    return sections


def convert(value):
    return int(value) if value.isdigit() else value


@logged
def summarise(sections):
    lines = []
    for name, values in sorted(sections.items()):
        longest = max(values.items(), key=lambda item: len(str(item[1])))
        lines.append(f"{name}: {len(values)} values, the longest is {longest[0]}")
    return lines


@logged
def padded(lines, width):
    """A page of lines of equal length."""
    page = bytearray(width * 200)
    for i, line in enumerate(lines):
        page[i * width:i * width + len(line)] = line.encode()
    return page


def main():
    sections = parse(TEXT)
    lines = summarise(sections)
    page = padded(lines, 20_000)
    for line in lines:
        print(line)
    print(len(page), "bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
