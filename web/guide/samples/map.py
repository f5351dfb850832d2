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

code = "93"
departement = get(f"/departements/{code}", include="communes")
features = []
for item in departement["communes"]["data"]:
    commune = get(f"/communes/{item['codeInsee']}", include="geometry,stats", fields="population")
    population = commune["stats"]["population"]  # null where it was not counted
    features.append({
        "type": "Feature",
        "geometry": commune["geometry"],
        "properties": {
            "code": commune["codeInsee"],
            "name": commune["name"],
            "density": population and population["density"],
        },
    })

with open(f"{code}.geojson", "w") as file:
    json.dump({"type": "FeatureCollection", "features": features}, file)
known = [f["properties"] for f in features if f["properties"]["density"]]
print(f"{code}.geojson: {len(features)} communes, {len(known)} with a density")
