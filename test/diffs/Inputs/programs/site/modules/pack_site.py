"""Packs the files of a (synthetic) site into an archive with a directory."""
from archive import Archive
from pages import render_page


def main():
    archive = Archive()
    for name, number in archive.members(400):
        archive.add(name, render_page(number) + bytes(range(256)) * 24)
    image = archive.finish()
    print(len(archive.directory), "members", len(image), "bytes")


if __name__ == "__main__":
    main()
