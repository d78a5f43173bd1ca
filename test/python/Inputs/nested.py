import memkit


def inner():
    with memkit.scope("inner"):
        return bytearray(10000001)


def outer():
    return inner()


kept = outer()
