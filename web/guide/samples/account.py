import collections, json, os, time, urllib.error, urllib.request

BASE = "https://api.example.org/account/v1"
TOKEN = os.environ["ARPENT_TOKEN"]

def get(path):
    request = urllib.request.Request(BASE + path, headers={"Authorization": "Bearer " + TOKEN})
    while True:
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                raise SystemExit(error.read().decode())
            time.sleep(int(error.headers.get("Retry-After", 2)))

usage = get("/usage?from=2026-11-01&to=2026-11-21")
counted = collections.Counter()
for row in usage["rows"]:
    counted[row["keyName"]] += row["counted"]
for name, requests in counted.most_common():
    print(name, requests)

quota = get("/organisation")
used, limit = quota["quota"]["today"], quota["limits"]["perDay"]
if used is not None:  # None: it cannot be read at the moment
    print(f"today: {used} of {limit}")

for key in get("/keys")["keys"]:
    if key["expiresAt"]:
        print(key["name"], "expires on", key["expiresAt"][:10])
