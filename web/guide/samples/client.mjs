import { Arpent } from "arpent";

const arpent = new Arpent({ baseUrl: "https://api.example.org" }); // the key is in ARPENT_KEY
const wanted = { include: ["stats"], fields: ["population"] };
for (const code of ["93010", "75056"]) {
  const { name, stats, states } = await arpent.getCommune(code, wanted);
  console.log(name, stats.population?.latest?.municipal ?? states.population.reason);
}
