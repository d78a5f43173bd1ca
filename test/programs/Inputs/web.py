"""An application of Flask that, leaking, keeps each request."""
import flask

KEPT = []


def remember(text):
    KEPT.append(text * 100)


def app(leaks):
    made = flask.Flask("web")

    @made.route("/")
    def answer():
        text = "answer to " + flask.request.args["q"]
        if leaks:
            remember(text)
        return text * 5

    return made
