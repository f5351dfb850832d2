package contract_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// otherArrondissement is a fixture in which a point of Paris lies in an arrondissement whose parcels are not
// loaded, and 93001 is a postcode that used to be a commune.
const otherArrondissement = `
INSERT INTO geo.arrondissement_contour (code, area_km2, geom) VALUES
	('75101', 1, ST_Multi(ST_MakeEnvelope(2.35, 48.8, 2.4, 48.9, 4326))), ('75118', 1, ST_Multi(ST_MakeEnvelope(2.3, 48.8, 2.35, 48.9, 4326)));
UPDATE geo.commune SET postcodes = '{93001}' WHERE code = '93008';
UPDATE geo.commune SET former_codes = '{93001}' WHERE code = '93010';`

// These share instances, which differ by the names and codes of their communes.
func TestMissing(t *testing.T) {
	t.Parallel()
	onOne(t, fixture.Start(t, otherArrondissement, `INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes)
		VALUES ('commune-deleguee', '93901', 'Vieux-Bondy', '93', '11', '93010', '{}')`), map[string]func(*testing.T, *fixture.Service){
		"missing": testWhatIsMissingIsSaid, "calls instead": testMissingNamesTheCallersOwnCalls,
	})
	onOne(t, fixture.Start(t, `UPDATE geo.commune SET postcodes = '{93010}' WHERE code = '93008'`,
		`UPDATE geo.commune SET postcodes = '{75018}' WHERE code = '75056'`), map[string]func(*testing.T, *fixture.Service){
		"postcodes": testToolNamesPostcodesAmongCodes, "arrondissements": testToolReadsCodesOfArrondissements,
	})
	onOne(t, fixture.Start(t, `UPDATE geo.commune SET name = 'Bondy' WHERE code = '93008'`,
		`UPDATE geo.commune SET name = 'Jumelle' WHERE code IN ('2A004', '97411')`), map[string]func(*testing.T, *fixture.Service){
		"references": testToolExplainsReferences, "homonyms": testReferenceIsOfTheHomonymWithParcels,
	})
}

// An answer that there is nothing says why: whether the land has no parcel or none is loaded, and what a code
// is that is taken for another. A reference in one word that is malformed
// is refused with the call that it would be.
func testWhatIsMissingIsSaid(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("missing@example.org", "pro")
	for path, want := range map[string]string{
		"/parcelles?lat=48.85&lon=2.37":    "It lies in Paris (75101), whose parcels are not loaded on this server.",
		"/parcelles?lat=48.85&lon=2.32":    "It lies in Paris (75118), on land that has no parcel, such as a street or a river.",
		"/parcelles?lat=48.811&lon=2.3112": "no parcel, such as a street or a river. The nearest parcel is 75118000AB0003, 15 m away.",
		"/parcelles?lat=48.95&lon=2.45":    "It lies in Bobigny (93008), whose parcels are not loaded on this server.",
		"/parcelles?lat=-22.27&lon=166.4":  "it lies in or near Nouvelle-Calédonie",
		"/parcelles?lat=48.95&lon=2.65":    "The nearest commune is Bondy (93010), about 4 km away.",
		"/parcelles/93001000AB0001":        "93001 is a postcode, not a commune code: it serves Bobigny (93008).",
		"/communes/93001":                  "93001 is a postcode, not a commune code: it serves Bobigny (93008).",
		"/parcelles/75056000AB0001":        "those of Paris begin with the code of an arrondissement, such as 75101, not with 75056.",
		"/parcelles/93010a1":               `idu is "93010a1"; if it means 930100000A0001, ask for /parcelles/930100000A0001; expected a cadastral`,
		"/regions/R%C3%A9union":            `code is "Réunion"; if it means 04, ask for /regions/04; expected`,
		"/departements/La%20R%C3%A9union":  `code is "La Réunion"; if it means 974: Overseas département 974 has no answer of its own. Its communes are listed by /communes?departement=974, its région is described by /regions/04.`,
		"/communes?departement=la+reunion": "ask for /communes?departement=974; expected",
		"/parcelles/93010a1/enrichments":   "ask for /parcelles/930100000A0001/enrichments; expected",

		"/parcelles/93010%20AY%2071%20et%2072": `If it means several parcels, ask for one at a time.`,
		"/parcelles/AY%2071":                   `The commune is missing: add its name or its code, as in AY 71 Bondy.`,
	} {
		r := s.Get("/api/v1"+path, "X-API-Key", key)
		var body struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal(r.Body, &body); err != nil || !strings.Contains(body.Error.Message, want) {
			t.Errorf("%s: %s, want %s (%v)", path, r.Body, want, err)
		}
		if malformed := strings.Contains(want, "ask for") || strings.Contains(want, "if it means") ||
			strings.Contains(want, "is missing"); malformed && r.Status != 400 || !malformed && r.Status != 404 {
			t.Errorf("%s: status %d", path, r.Status)
		}
	}
}

// A point in the street is answered with the nearest parcel where the caller says how far that may be: a tool
// does without being asked, up to 10 m.
func testNearestParcelOfAPoint(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("nearest@example.org", "pro")
	const inside, nearest = `"match":"inside","distanceM":0`, `"match":"nearest","distanceM":11`
	for query, want := range map[string]struct {
		status int
		text   string
	}{
		"lat=48.9105&lon=2.5105":                  {200, inside},
		"lat=48.9105&lon=2.5105&maxDistance=50":   {200, inside},
		"lat=48.9111&lon=2.5105&maxDistance=12.5": {200, nearest},
		"lat=48.9111&lon=2.5105&maxDistance=10":   {404, "The nearest parcel is 930100000A0001, 11 m away."},
		"lat=48.9111&lon=2.5105&maxDistance=0":    {404, "The nearest parcel is 930100000A0001, 11 m away."},
		"lat=48.9111&lon=2.5105":                  {404, "The nearest parcel is 930100000A0001, 11 m away."},
		"lat=48.9111&lon=2.5105&maxDistance=50.1": {400, `maxDistance is \"50.1\"; expected metres between 0 and 50`},
		"lat=48.9111&lon=2.5105&maxDistance=-1":   {400, "expected metres between 0 and 50"},
	} {
		if r := s.Get("/api/v1/parcelles?"+query, "X-API-Key", key); r.Status != want.status || !strings.Contains(string(r.Body), want.text) {
			t.Errorf("%s: status %d: %s", query, r.Status, r.Body)
		}
	}
	for arguments, want := range map[string]string{
		`{"lat":48.91108,"lon":2.5105}`:                   `"match":"nearest","distanceM":9`,
		`{"lat":48.9111,"lon":2.5105}`:                    "The nearest parcel is 930100000A0001, 11 m away.",
		`{"lat":48.9111,"lon":2.5105,"maxDistance":12}`:   nearest,
		`{"lat":48.91108,"lon":2.5105,"maxDistance":"0"}`: "The nearest parcel is 930100000A0001, 9 m away.",
	} {
		if text := call(s, key, "get_parcel_at_point", arguments).text(); !strings.Contains(text, want) {
			t.Errorf("%s: %s", arguments, text)
		}
	}
}

// What helps instead is named to each in the words of its own calls: a path of the API or a tool. A tool does
// not add its general advice to what says already where to ask.
func testMissingNamesTheCallersOwnCalls(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("instead@example.org", "pro")
	const overseas, postcode = "Overseas département 974 has no answer of its own.", "93001 is a postcode, not a commune code: it serves Bobigny (93008)."
	for _, c := range []struct{ path, rest, tool, arguments, text string }{
		{"/departements/974", overseas + " Its communes are listed by /communes?departement=974, its région is described by /regions/04.",
			"get_departement", `{"code":"974"}`, overseas + "\n" + `list_communes with {"departement":"974"} lists its communes, get_region with {"code":"04"} describes its région.`},
		{"/communes/93901", "it is part of commune 93010 (Bondy).", "get_commune", `{"code":"93901"}`, "it is part of commune 93010 (Bondy).\n" + `Call get_commune with {"code":"93010"}.`},
		{"/communes/93001", postcode, "get_commune", `{"code":"93001"}`, postcode},
		{"/communes/99999", "No commune has code 99999.", "get_commune", `{"code":"99999"}`, "No commune has code 99999.\nCommunes merge and change their code, and postcodes of CEDEX are those of organisations: search_address gives commune codes."},
		{"/parcelles?lat=48.811&lon=2.3112", "The nearest parcel is 75118000AB0003, 15 m away.", "get_parcel_at_point", `{"lat":48.811,"lon":2.3112}`,
			"15 m away.\n" + `If it is meant, call get_parcel or get_parcel_enrichments with {"idu":"75118000AB0003"}.`},
		{"/communes/Ville%20d'Avray", "(not a postcode). A name is found by /adresses?q=Ville+d%27Avray.", "get_commune", `{"code":"Ville d'Avray"}`,
			"(not a postcode).\nCorrect the arguments and call get_commune again. code takes a name, too, such as Bondy. A postcode is not a commune code, nor is the number of a grouping of communes, whose communes list_communes has by epci: search_address gives commune codes."},
		{"/communes?name=bondy", "expected both. A name alone is found by /adresses?q=.", "list_communes", `{"name":"bondy"}`, "a name alone is found by search_address;"},
	} {
		var body struct{ Error struct{ Message string } }
		r := s.Get("/api/v1"+c.path, "X-API-Key", key)
		if err := json.Unmarshal(r.Body, &body); err != nil || !strings.Contains(body.Error.Message, c.rest) {
			t.Errorf("%s: %s, want %s (%v)", c.path, r.Body, c.rest, err)
		}
		if c.path == "/communes/99999" && !strings.Contains(string(s.Get("/docs/errors").Body), c.rest) {
			t.Error("the example of an error has another message")
		}
		text := call(s, key, c.tool, c.arguments).text()
		if !strings.Contains(text, c.text) || strings.Contains(text, "/communes") || strings.Contains(text, "/adresses") ||
			strings.Contains(text, "Communes merge") && !strings.Contains(c.text, "Communes merge") {
			t.Errorf("%s %s: %s", c.tool, c.arguments, text)
		}
	}
}

// A tool takes the name of a région or a département for its code, and names the code; a name
// that none has is refused as any other text.
func testToolReadsNames(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("names@example.org", "pro")
	for _, c := range []struct{ tool, arguments, shows, read string }{
		{"get_region", `{"code":"ile de france"}`, `"code":"11"`, `code "ile de france" was read as 11.`},
		{"get_departement", `{"code":"Seine-Saint-Denis"}`, `"code":"93"`, `code "Seine-Saint-Denis" was read as 93.`},
		{"list_departements", `{"region":"Île-de-France"}`, `"code":"93"`, `region "Île-de-France" was read as 11.`},
		{"list_communes", `{"departement":"Seine Saint Denis"}`, `["Bondy","93010"]`, `departement "Seine Saint Denis" was read as 93.`},
		{"get_region", `{"code":"réunion"}`, `"code":"04"`, `code "réunion" was read as 04.`},
		{"get_departement", `{"code":"la Réunion"}`, `get_region with {"code":"04"}`, `code "la Réunion" was read as 974.`},
		{"list_communes", `{"departement":"La Réunion"}`, `["Saint-Denis","97411"]`, `departement "La Réunion" was read as 974.`},
		{"get_region", `{"code":"IDF"}`, `"code":"11"`, `code "IDF" was read as 11.`},
		{"get_departement", `{"code":"seine st denis"}`, `"code":"93"`, `code "seine st denis" was read as 93.`},
		{"get_commune", `{"code":"bodny"}`, `invalid_parameter: code is "bodny"`, "Nearly called so: Bondy (93010)."},
		{"get_departement", `{"code":"Seine-Saint-Deni"}`, `invalid_parameter: code is`, "Nearly called so: Seine-Saint-Denis (93)."},
		{"list_departements", `{"region":"Île-de-Farnce"}`, `invalid_parameter: region is`, "Nearly called so: Île-de-France (11)."},
		{"get_region", `{"code":"Bavaria"}`, `invalid_parameter: code is "Bavaria"`, ""},
		{"get_commune", `{"code":"93O10"}`, `"codeInsee":"93010"`, `code "93O10" was read as 93010.`},
		{"get_commune", `{"code":"93 010"}`, `"codeInsee":"93010"`, `code "93 010" was read as 93010.`},
		{"get_commune", `{"code":["93010","93008"]}`, "invalid_parameter: code is", "It names several communes: list_communes gives figures of them in one call"},
		{"get_commune", `{"code":"Bondy et Bobigny"}`, "invalid_parameter: code is", "list_communes gives figures of them in one call"},
		{"list_communes", `{"departement":"Ile de France"}`, "It is a région: Île-de-France (11).", "ranked with region=11, sort and top"},
		{"list_communes", `{"region":"Seine-Saint-Denis","sort":"areaKm2","top":2}`, "It is a département: Seine-Saint-Denis (93)",
			"listed with departement=93, without region"},
		{"find_commune", `{"lat":"48,95","lon":"2,55"}`, `"codeInsee":"93010"`, `lat "48,95" was read as 48.95.`},
		{"find_commune", `{"lat":"48.95,2.55"}`, "lon is missing", `lat is "48.95,2.55". It holds two numbers`},
		{"find_commune", `{"lat":"48.95,2.55","lon":2.55}`, `lat is "48.95,2.55"; expected a latitude`, "It holds two numbers"},
	} {
		if text := call(s, key, c.tool, c.arguments).text(); !strings.Contains(text, c.shows) || !strings.Contains(text, c.read) ||
			strings.Contains(text, "was read as") && strings.Contains(text, "Nearly called so") {
			t.Errorf("%s %s: %.400s", c.tool, c.arguments, text)
		}
	}
}

// A code of a commune that is also the postcode of others is answered with a note of these: it may have been
// meant for a postcode.
func testToolNamesPostcodesAmongCodes(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("codes@example.org", "pro")
	const note = "93010 is also a postcode, which serves Bobigny (93008)."
	if text := call(s, key, "get_commune", `{"code":"93010"}`).text(); !strings.HasPrefix(text, `{"readings":["`+note+`"],`) || strings.Contains(text, "was read as") {
		t.Errorf("a code that is a postcode, too: %s", text)
	}
	if text := call(s, key, "get_parcel", `{"idu":"93010 A 1"}`).text(); !strings.HasSuffix(text, "was read as 930100000A0001. "+note) {
		t.Errorf("a reference by such a code: %s", text)
	}
	if text := call(s, key, "get_parcel", `{"idu":"930100000A0001"}`).text(); strings.Contains(text, "postcode") {
		t.Errorf("a whole reference: %s", text)
	}
	if text := call(s, key, "get_commune", `{"code":"93008"}`).text(); strings.Contains(text, "postcode, which") {
		t.Errorf("a code that is none: %s", text)
	}
}

// The code of an arrondissement is read as its name is, with a note of what it is; the API, whose communes it
// is none of, does not find it.
func testToolReadsCodesOfArrondissements(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("arrondissements@example.org", "pro")
	for arguments, note := range map[string]string{
		`{"code":"75118"}`:     "75118 is the code of Paris 18e Arrondissement, which is part of Paris (75056).",
		`{"code":"Paris 18e"}`: `code "Paris 18e" was read as 75118.`,
	} {
		text := call(s, key, "get_commune", arguments).text()
		if !strings.Contains(text, `"codeInsee":"75118"`) || !strings.Contains(text, `"arrondissementOf"`) || !strings.HasSuffix(text, note) {
			t.Errorf("%s: %s", arguments, text)
		}
	}
	if r := s.Get("/api/v1/communes?lat=48,95&lon=2,55", "X-API-Key", key); !strings.Contains(string(r.Body), `if it means 48.95, `) {
		t.Errorf("a point with decimal commas: %s", r.Body)
	}
	if text := call(s, key, "get_commune", `{"code":"75018"}`).text(); !strings.Contains(text, "it serves Paris 18e Arrondissement (75118).") {
		t.Errorf("the postcode of an arrondissement: %s", text)
	}
	if got := s.Get("/api/v1/communes/75118", "X-API-Key", key); got.Status != 404 ||
		!bytes.Contains(got.Body, []byte("is an arrondissement, not a commune; it is part of commune 75056 (Paris).")) {
		t.Errorf("REST answers %d %s", got.Status, got.Body)
	}
}

// A reference whose commune is not the only one of its name, while parcels of none or of several are loaded,
// or is misspelt, is refused with those that may be meant.
func testToolExplainsReferences(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("several@example.org", "pro")
	for idu, want := range map[string]string{
		"Jumelle A 1": "It may be of Jumelle (2A004), Jumelle (97411): write the code in place of the name, as in 2A004 0A 0001.",
		"Bodny A 1":   "Nearly called so: Bondy (93008), Bondy (93010). Write the code in place of the name, as in 93008 0A 0001.",
		"Paris A 1":   "Add the arrondissement of Paris, by its number or as in 75101 0A 0001.",
		"A 1":         "The commune is missing: add its name or its code, as in A 1 Bondy.",
	} {
		if text := call(s, key, "get_parcel", `{"idu":"`+idu+`"}`).text(); !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %s", idu, text, want)
		}
	}
}

// Of communes of one name a reference is read as of the only one with parcels; the answer says so and names
// the others, in REST and tools.
func testReferenceIsOfTheHomonymWithParcels(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("homonym@example.org", "pro")
	const idu, read = "Bondy section A no 1", ` was read as 930100000A0001. It may also be a parcel of Bondy (93008), ` +
		`of which none is loaded on this server: the code of the commune in place of its name says which is meant.`
	for _, path := range []string{"", "/enrichments?fields=radon"} {
		got := s.Get("/api/v1/parcelles/"+url.PathEscape(idu)+path, "X-API-Key", key)
		var answer struct {
			IDU      string
			Readings []string
		}
		if err := json.Unmarshal(got.Body, &answer); err != nil || got.Status != 200 || answer.IDU != "930100000A0001" ||
			len(answer.Readings) != 1 || !strings.HasSuffix(answer.Readings[0], read) {
			t.Errorf("REST%s answers %d %s (%v)", path, got.Status, got.Body, err)
		}
	}
	missing := s.Get("/api/v1/parcelles/"+url.PathEscape("Bondy section A no 999"), "X-API-Key", key)
	if missing.Status != 404 || !bytes.Contains(missing.Body, []byte("It may also be a parcel of Bondy (93008)")) {
		t.Errorf("REST answers %d %s", missing.Status, missing.Body)
	}
	if got := s.Get("/api/v1/parcelles/930100000A0001", "X-API-Key", key); bytes.Contains(got.Body, []byte("readings")) {
		t.Errorf("a whole reference: %s", got.Body)
	}
	for _, tool := range []string{"get_parcel", "get_parcel_enrichments"} {
		if text := call(s, key, tool, `{"idu":"`+idu+`"}`).text(); !strings.HasSuffix(text, read) || strings.Count(text, "was read as") > 2 {
			t.Errorf("%s: %s", tool, text)
		}
	}
}

// The postcode of an arrondissement stands for it in a reference, though it was the code of a commune, too.
func TestReferenceWithPostcode(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t, otherArrondissement, `UPDATE geo.commune SET postcodes = '{75018}' WHERE code = '75056'`,
		`UPDATE geo.commune SET former_codes = '{75018}' WHERE code = '93008'`)
	key := s.Account("postcode@example.org", "pro")
	for _, idu := range []string{"75018 AB 3", "Paris 75018 AB 3", "section AB n° 3, Paris 18ème", "Paris 18 AB 3"} {
		if got := s.Get("/api/v1/parcelles/"+url.PathEscape(idu), "X-API-Key", key); !bytes.Contains(got.Body, []byte(`"idu":"75118000AB0003"`)) {
			t.Errorf("%s: REST answers %d %s", idu, got.Status, got.Body)
		}
		text := call(s, key, "get_parcel", `{"idu":"`+idu+`"}`).text()
		if !strings.Contains(text, `"idu":"75118000AB0003"`) || !strings.HasSuffix(text, `was read as 75118000AB0003.`) {
			t.Errorf("%s: %s", idu, text)
		}
	}
}

// A reference is read as people write it, over REST too where it has several words: the answer is
// the parcel that is meant. A tool says what it read.
func testToolReadsReferences(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("reads@example.org", "pro")
	for _, idu := range []string{"93010 A 1", "93010a0001", "93010 000 0a 0001", "93 010 A 1", "A1 à Bondy", "section A n° 1 Bondy", "parcelle cadastrée section A numéro 1 à Bondy (Seine-Saint-Denis)", "superficie A1 à Bondy", "93O1OOOOOAOOO1",
		"parcel n° 1 of section a in Bondy", "93010-000-A-1", "bondy cadastre A-1 lot 3", "ville de Bondy A 1"} {
		if got := s.Get("/api/v1/parcelles/"+url.PathEscape(idu), "X-API-Key", key); idu != "93010a0001" && (got.Status != 200 || !bytes.Contains(got.Body, []byte(`"idu":"930100000A0001"`))) {
			t.Errorf("%s: REST answers %d %s", idu, got.Status, got.Body)
		}
		arguments := testkit.Must(json.Marshal(map[string]string{"idu": idu}))(t)
		for _, tool := range []string{"get_parcel", "get_parcel_enrichments"} {
			text := call(s, key, tool, string(arguments)).text()
			if !strings.Contains(text, `"idu":"930100000A0001"`) || !strings.Contains(text, `was read as 930100000A0001.`) {
				t.Errorf("%s of %s: %.400s", tool, idu, text)
			}
		}
	}
}
