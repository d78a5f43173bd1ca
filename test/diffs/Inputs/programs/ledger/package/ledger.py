"""Books the (synthetic) payments of a month and balances the accounts."""
from books import Book, Reader


def main():
    book = Book(1000)
    payments = Reader(60_000).payments()
    book.enter(payments)
    lines = book.statements()
    print(len(lines), "accounts,", lines[3].strip())


if __name__ == "__main__":
    main()
