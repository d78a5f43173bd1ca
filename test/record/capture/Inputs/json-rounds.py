import json

for _ in range(20):
    text = json.dumps([{"a": list(range(k)), "b": str(k) * k} for k in range(60)])
    json.loads(text)
