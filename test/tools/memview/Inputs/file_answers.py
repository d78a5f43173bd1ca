# The answers in a page that is a file: file_answers.py PAGE prints the requests, file_answers.py PAGE
# REQUEST... the answers as JSON, one a line.
import base64
import json
import sys
import zlib


def read(path):
    """The JSON between the tags, and the answers by request; graphs have their names."""
    page = open(path, encoding="utf-8").read()
    text = page[page.index('id="answers">') + len('id="answers">'):]
    text = text[:text.index("</script>")]
    data, answers, names = json.loads(text), {}, {}
    unpack = {"deflate": zlib.decompress, "": bytes}[data["encoding"]]
    for packed in data["names"]:
        for key, values in json.loads(unpack(base64.b64decode(packed))).items():
            names.setdefault(key, []).extend(values)
    for requests, packed in data["parts"]:
        for request, answer in zip(requests, json.loads(unpack(base64.b64decode(packed))), strict=True):
            assert request not in answers, request
            answers[request] = answer
            if "nodes" in answer and "names" not in answer:
                answer["names"] = names
    return text, answers


if __name__ == "__main__":
    _, held = read(sys.argv[1])
    for request in sys.argv[2:] or held:
        print(json.dumps(held[request]) if sys.argv[2:] else request)
