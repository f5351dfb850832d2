from arpent import Arpent

arpent = Arpent("https://api.example.org")  # the key is in ARPENT_KEY
for code in ["93010", "75056"]:
    commune = arpent.get_commune(code, include=["stats"], fields=["population"])
    population = commune["stats"]["population"]
    why = commune["states"]["population"].get("reason")
    print(commune["name"], population["latest"]["municipal"] if population else why)
