const base = "https://api.example.org/api/v1";
const headers = { "X-API-Key": process.env.ARPENT_KEY };

async function commune(code) {
  const query = "include=stats&fields=population,revenus";
  const answer = await fetch(`${base}/communes/${code}?${query}`, { headers });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error.message);
  return body;
}

const communes = await Promise.all(["93010", "33063"].map(commune));

// A figure with its year, or the reason why there is none.
function cell(c, key, read) {
  const block = c.stats[key];
  const value = block && read(block);
  return value == null ? c.states[key].state : `${value} (${block.year})`;
}

const rows = {
  "inhabitants": (c) => cell(c, "population", (p) => p.latest?.municipal),
  "per km²": (c) => cell(c, "population", (p) => p.density && Math.round(p.density)),
  "income, €": (c) => cell(c, "revenus", (r) => r.medianIncome),
  "poverty, %": (c) => cell(c, "revenus", (r) => r.povertyRate),
};

function print(cells) {
  console.log(cells.map((text, i) => text.padEnd(i ? 13 : 12)).join("").trimEnd());
}
print(["", ...communes.map((c) => c.name)]);
for (const [label, of] of Object.entries(rows)) print([label, ...communes.map(of)]);
