"""Generates pages."""


def render_page(number):
    """The text of a page, of 20 to 60 KB."""
    line = f"<p>page {number}, paragraph {{}}: {'lorem ipsum ' * 6}</p>\n"
    return "".join(line.format(i) for i in range(200 + number * 37 % 400)).encode()
