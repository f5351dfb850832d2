import { Arpent } from "arpent";

const arpent = new Arpent({ baseUrl: "https://api.example.org" }); // the key is in ARPENT_KEY
for (const code of ["93010", "75056"]) {
  const commune = await arpent.getCommune(code, { include: ["stats"], fields: ["population"] });
  console.log(commune.name, commune.stats.population?.latest?.municipal ?? commune.states.population.reason);
}
