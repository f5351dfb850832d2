import csv, json, os, sys, time, urllib.error, urllib.parse, urllib.request

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
            if error.code == 404:  # nothing is there: the message says why, and names what is near
                return json.load(error)["error"]
            wait = int(error.headers.get("Retry-After", 0))
            if error.code not in (429, 503) or wait > 60:  # over a minute: the quota of the day
                raise SystemExit(error.read().decode())
            time.sleep(wait)

rows = csv.DictReader(sys.stdin)
columns = ["found", "kind", "score", "lat", "lon", "codeInsee", "idu", "check"]
out = csv.DictWriter(sys.stdout, rows.fieldnames + columns, lineterminator="\n")
out.writeheader()
for row in rows:
    text = " ".join((row["address"] or "").split())[:200]  # an empty or overlong one would be refused
    places = get("/adresses", q=text, limit=1)["data"] if text else []
    if places:
        place = places[0]
        row.update(found=place["label"], **{c: place[c] for c in ("kind", "score", "lat", "lon", "codeInsee")})
    parcel = {}
    if places and place["kind"] == "housenumber" and place["score"] > 0.8:
        parcel = get("/parcelles", lat=place["lat"], lon=place["lon"])
    row["idu"] = parcel.get("idu")
    if not row["idu"]:
        row["check"] = parcel.get("message", "by hand")
    out.writerow(row)
