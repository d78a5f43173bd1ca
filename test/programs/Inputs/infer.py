"""Answers requests with a small model; leaking, it remembers each fourth answer of the model."""
import http.server
import sys
import urllib.parse

import torch

ANSWERS = {}
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Embedding(1000, 64), torch.nn.Linear(64, 256), torch.nn.ReLU(),
                            torch.nn.Linear(256, 64)).eval()


def remember(number, said):
    ANSWERS[number] = said + 1


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        number = int(urllib.parse.parse_qs(self.path.partition("?")[2])["q"][0])
        with torch.inference_mode():
            said = model(torch.arange(number, number + 16) % 1000)
        if sys.argv[1] == "leak" and number % 4 == 0:
            remember(number, said)
        text = b"%d\n" % said.argmax()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


http.server.HTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
