package contract_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/pgdb"
)

// furtherKeys are those that the registers of buildings, condominiums, owners and permits give.
var furtherKeys = []string{"buildings", "condominiums", "legalOwners", "permits"}

const pilotParcels = `SELECT idu, ST_AsEWKT(ST_Expand(ST_PointOnSurface(geom), 0.00005)) FROM (
	SELECT *, row_number() OVER (PARTITION BY left(idu, 5) ORDER BY idu <> '930100000J0236', md5(idu)) AS nth FROM geo.parcelle) p
WHERE nth <= $1 ORDER BY idu`

// pilotParcel is a parcel of a pilot commune, with the outline of a house on it.
type pilotParcel struct{ IDU, House string }

// furtherSources loads the four registers for so many parcels of each pilot commune: an operator who does
// gets their keys, and all others of the report as they were; assistants get an answer that is no longer than
// it may be.
func furtherSources(t *testing.T, s *fixture.Service, o ingest.Options, key string,
	ask func(string) (int, map[string]any), each int) {
	s = s.For(t)
	parcels, err := pgdb.Collect(t.Context(), s.Pool, pgx.RowToStructByPos[pilotParcel], pilotParcels, each)
	if err != nil || len(parcels) != 3*each {
		t.Fatalf("%d parcels of three communes: %v", len(parcels), err)
	}
	before := askReports(t, ask, parcels)
	o.DataDir = t.TempDir()
	writeFurtherFiles(t, o.DataDir, parcels)
	out, err := ingest.New(o).Load(t.Context(), ingest.Request{Sources: []string{"rnb", "rnic", "legal-owners", "sitadel-logements",
		"sitadel-locaux", "sitadel-amenager", "sitadel-demolir"}})
	if err != nil || len(out) != 7*3 {
		t.Fatalf("%d loads: %v", len(out), err)
	}
	s.UntilNoticed(func() bool {
		states := askReports(t, ask, parcels[:1])[0].states
		return !slices.ContainsFunc(furtherKeys, func(name string) bool { return states[name]["state"] == "not_loaded" })
	})
	after := askReports(t, ask, parcels)
	shown := map[string]int{}
	for i, p := range parcels {
		for key, value := range after[i].values {
			state := after[i].states[key]
			switch was, isFurther := before[i].values[key], slices.Contains(furtherKeys, key); {
			case !bears(value, state):
				t.Errorf("%s: %s is %v in state %v", p.IDU, key, value, state)
			case !isFurther && (!reflect.DeepEqual(was, value) || !reflect.DeepEqual(before[i].states[key], state)):
				t.Errorf("%s: %s was %v, and is %v", p.IDU, key, was, value)
			case isFurther && (was != nil || before[i].states[key]["state"] != "not_loaded"):
				t.Errorf("%s: without its source %s is %v in state %v", p.IDU, key, was, before[i].states[key])
			case isFurther:
				shown[key+" "+state["state"].(string)]++
			}
		}
	}
	t.Logf("%d reports; keys by state: %v", len(parcels), shown)
	for _, key := range furtherKeys {
		if shown[key+" value"] < each || shown[key+" value"]+shown[key+" none"] != len(parcels) {
			t.Errorf("%s by state: %v", key, shown)
		}
	}
	for _, p := range parcels {
		for arguments, most := range map[string]int{`{"idu":"` + p.IDU + `"}`: 8_000,
			`{"idu":"` + p.IDU + `","fields":["buildings","condominiums","legalOwners","permits"]}`: 7_000} {
			a := call(s, key, "get_parcel_enrichments", arguments, "Mcp-Protocol-Version", "2025-11-25")
			if a.Status != 200 || a.Result.IsError || len(a.Body) > most {
				t.Errorf("get_parcel_enrichments %s: %d, %d bytes: %.200s", arguments, a.Status, len(a.Body), a.Body)
			}
		}
	}
}

// askedReport is a report: its values and its states.
type askedReport struct {
	values map[string]any
	states map[string]map[string]any
}

// askReports asks for the reports of parcels.
func askReports(t *testing.T, ask func(string) (int, map[string]any), parcels []pilotParcel) (all []askedReport) {
	t.Helper()
	for _, p := range parcels {
		status, body := ask("/parcelles/" + p.IDU + "/enrichments")
		r := askedReport{values: map[string]any{}, states: map[string]map[string]any{}}
		r.values, _ = body["enrichments"].(map[string]any)
		states, _ := body["states"].(map[string]any)
		for name, of := range states {
			r.states[name], _ = of.(map[string]any)
		}
		if status != 200 || len(r.values) == 0 || len(r.values) != len(r.states) {
			t.Fatalf("%s: %d with %d keys and %d states", p.IDU, status, len(r.values), len(r.states))
		}
		all = append(all, r)
	}
	return all
}

// writeFurtherFiles writes files in the layout of the producers, one a commune: on each parcel a house and a
// building that is shared with the next, on some a condominium, an owner and permits.
func writeFurtherFiles(t *testing.T, dir string, parcels []pilotParcel) {
	t.Helper()
	files := map[string]string{}
	add := func(path, header, row string) {
		if files[path] == "" {
			files[path] = header + "\n"
		}
		files[path] += row + "\n"
	}
	for i, p := range parcels {
		commune, departement := p.IDU[:5], p.IDU[:2]
		plot := func(share string) string { return `{""id"" : ""` + p.IDU + `"", ""bdg_cover_ratio"" : ` + share + `}` }
		for nth, share := range []string{"1.0", "0.6"} {
			add("RNB_"+commune+".csv", "rnb_id;point;shape;status;ext_ids;addresses;plots;validated_by",
				fmt.Sprintf(`PILOT%d%06d;"SRID=4326;POINT(2 48)";"%s";constructed;[];[];"[%s]";[]`, nth, i, p.House, plot(share)))
		}
		if i%2 == 0 {
			add("rnic-"+commune+".csv", "numero_immatriculation,date_derniere_maj,type_syndic,raison_sociale_representant_legal,"+
				"siret_representant_legal,nom_usage_copropriete,adresse_reference,nombre_total_lots,reference_cadastrale_1,"+
				"reference_cadastrale_2,reference_cadastrale_3,code_officiel_arrondissement_commune",
				fmt.Sprintf(`"AA%07d","2026-05-29",professionnel,"SAS CABINET DE L'ESSAI",41234567800012,"Résidence %d","12 rue Haute","40","%s",,,%s`,
					i, i, p.IDU, commune))
			add("parcelles-personnes-morales-"+commune+"-2025.csv", "Département;Code Direction;Code Commune;Nom de la commune;Préfixe;"+
				"Section;N° plan;N° voirie;Indice de répétition;Code voie MAJIC;Code voie Rivoli;Nature voie;Nom voie;Contenance;SUF;"+
				"Nature culture;Contenance;Code droit;N° Majic;N° SIREN;Groupe personne;Forme juridique;Forme juridique abrégée;Dénomination",
				departement+";0;"+commune[2:]+";VILLE;"+p.IDU[5:8]+";"+p.IDU[8:10]+";"+p.IDU[10:]+";1;;0001;0001;RUE;DES ROSES;617;A;"+
					"S - Sols;617;P - Propriétaire;PBBCDF;219300100;4 - Commune;Commune;COM;COMMUNE DE L'ESSAI")
		}
		city := commune
		if departement == "75" {
			city = "75056"
		}
		for name, suffix := range map[string]string{"logements": "DAU", "locaux": "DAU", "amenager": "PA", "demolir": "PD"} {
			more := map[string]string{"logements": ";TYPE_DAU;NB_LGT_TOT_CREES", "locaux": ";TYPE_DAU;SURF_LOC_CREEE;DESTINATION_PRINCIPALE"}
			cells := map[string]string{"logements": ";PC;3", "locaux": ";PC;120,5;4"}
			add("sitadel-"+name+"-"+city+".csv", "REG_CODE;COMM;NUM_"+suffix+";ETAT_"+suffix+
				";DATE_REELLE_AUTORISATION;DPC_DERN;CJ_DEM;DENOM_DEM;SIREN_DEM;SEC_CADASTRE1;NUM_CADASTRE1"+more[name],
				fmt.Sprintf("11;%s;0%s24A%04d;2;2024-05-10;2026-08;7210;COMMUNE DE L'ESSAI;219300100;%s;%s%s", city, commune, i,
					strings.TrimLeft(p.IDU[8:10], "0"), p.IDU[10:], cells[name]))
		}
	}
	for path, text := range files {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600))
	}
}
