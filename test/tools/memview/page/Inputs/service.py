import memkit

seen = []
table = {}


def parse(number):
    return {"id": number, "text": "x" * 2000}


def remember(request):
    seen.append(request["text"] + str(request["id"]))


def warm_up():
    for number in range(2000):
        table[number] = bytes(500)


def handle(number):
    request = parse(number)
    buffer = bytearray(300_000)
    remember(request)
    return len(buffer)


warm_up()
for number in range(100):
    for part in range(20):
        handle(number * 20 + part)
    memkit.step()
