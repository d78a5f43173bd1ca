# Starts memview on a trace, and asks it.
import http.client
import json
import subprocess
import time
import urllib.parse


class Served:
    """A running memview. Use as a context: the server ends with the block."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            ["memview", "--no-open", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        self.address = self.process.stdout.readline().strip()
        parts = urllib.parse.urlsplit(self.address)
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def request(self, path, method="GET", headers=None, body=None):
        """Status, headers and body of an answer."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), text

    def ask(self, question):
        status = 202
        while status == 202:
            status, _, text = self.request(self.path + "api/" + question)
            if status == 202:
                time.sleep(0.02)
        answer = json.loads(text)
        answer["status"] = status
        return answer
