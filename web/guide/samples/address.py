import json, os, time, urllib.error, urllib.parse, urllib.request

BASE = "https://api.example.org/api/v1"
KEY = os.environ["ARPENT_KEY"]

def get(path, **query):
    url = BASE + path + ("?" + urllib.parse.urlencode(query) if query else "")
    request = urllib.request.Request(url, headers={"X-API-Key": KEY})
    while True:
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            wait = int(error.headers.get("Retry-After", 0))
            if error.code != 429 or wait > 60:  # over a minute: the quota of the day
                raise SystemExit(error.read().decode())
            time.sleep(wait)

places = get("/adresses", q="12 allée des Roses, 93140 Bondy", limit=5)["data"]
place = places[0] if places else {"kind": None, "score": 0}
if place["kind"] != "housenumber" or place["score"] <= 0.8:
    raise SystemExit(f"choose one of: {[p['label'] for p in places]}")

parcel = get("/parcelles", lat=place["lat"], lon=place["lon"])
report = get(f"/parcelles/{parcel['idu']}/enrichments", address=place["label"])

print(place["label"], "→", parcel["idu"], f"{parcel['contenance']} m²")
shown = {"radon": "label", "qpv": "name", "dvfEstimate": "medianPricePerM2", "seisme": "label"}
for key, member in shown.items():
    value, why = report["enrichments"][key], report["states"][key]
    print(f"{key}:", why["reason"] if value is None else value[member])
