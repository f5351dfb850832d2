package planning

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

var (
	//go:embed permit_tables.sql
	permitTables string
	//go:embed permit_rows.sql
	permitRows string
	//go:embed permit_references.sql
	permitReferences string
	//go:embed permits_unplaced.sql
	unplacedPermits string
)

// maxReferences is how many parcels a permit can name.
const maxReferences = 15

// permitFile is one of the four files of Sitadel.
type permitFile struct {
	name, title string
	resource    string // by which the producer's interface knows it
	kind        string // SQL of the type of a permit
	suffix      string // of the columns of number and state
	size        int64
	minRows     string // of a département
	columns     []source.Column
	key         []string // of a row
	checks      []string
}

var permitFiles = []permitFile{
	{
		name: "logements", title: "autorisations créant des logements",
		resource: "8b35affb-55fc-4c1f-915b-7750f974446a",
		kind:     "type", suffix: "DAU", size: 200_000_000, minRows: "500", key: []string{"type", "number"},
		columns: []source.Column{dossierType,
			{Name: "dwellings", From: []string{"NB_LGT_TOT_CREES"}, Kind: source.Integer},
			{Name: "dwelling_area", From: []string{"SURF_HAB_CREEE"}, Kind: source.Number}},
		checks: []string{rejectWithout("dwellings", "NB_LGT_TOT_CREES")},
	},
	{
		name: "locaux", title: "autorisations créant des locaux non résidentiels",
		resource: "f8f0700f-806c-40a7-83b1-f21cf507e7c4",
		kind:     "type", suffix: "DAU", size: 276_000_000, minRows: "200",
		key: []string{"type", "number", "destination"},
		columns: []source.Column{dossierType,
			{Name: "premises_area", From: []string{"SURF_LOC_CREEE"}, Kind: source.Number},
			{Name: "destination", From: []string{"DESTINATION_PRINCIPALE"}}},
		checks: []string{rejectWithout("premises_area", "SURF_LOC_CREEE")},
	},
	{
		name: "amenager", title: "permis d’aménager", resource: "96883f50-538b-41f9-a059-c6eb97e6a23a",
		kind: "'PA'::text", suffix: "PA", minRows: "10", key: []string{"number"},
	},
	{
		name: "demolir", title: "permis de démolir", resource: "1a9a2f0c-56fe-4e69-84a7-fbbda2121f02",
		kind: "'PD'::text", suffix: "PD", minRows: "10", key: []string{"number"},
	},
}

// dossierType is PC, a building permit, or DP, a prior declaration.
var dossierType = source.Column{Name: "type", From: []string{"TYPE_DAU"}, Required: true, Match: "PC|DP"}

// declareSource declares the permits of the file. Its columns are matched by name.
func (f permitFile) declareSource() source.Source {
	return source.Source{
		Name: "sitadel-" + f.name, Group: "permits", Title: "Sitadel, " + f.title, Producer: "SDES",
		Licence:  source.LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/689c42fa521ccf80ce954f83",
		After:    []string{"cog-communes", "cog-movements", "parcelles-etalab", "parcelles-ign-shp"},
		Origins:  f.listOrigins(),
		Files: []source.Files{{
			Path: `(?i)(^|/)sitadel-` + f.name + `([-_.]` + source.PlaceCode + `)?\.csv(\.gz|\.zip)?$`}},
		// What is fetched from the site has a line of labels above the header.
		Read:    source.Read{Format: source.CSV, Separator: ";", HeaderCell: "(?i)COMM", Decimal: ","},
		Columns: f.listColumns(),
		Rows: fmt.Sprintf(permitRows, f.kind, f.selectOptional("dwellings"), f.selectOptional("dwelling_area"),
			f.selectOptional("premises_area"), listPairs()),
		Reject:  []source.Rule{source.UnknownCommune, source.OfScope("code")},
		Dedupe:  source.Dedupe{Key: f.key},
		Vintage: "max(left(edition, 7))",
		Checks: source.Checks{MaxRefused: 0.02, Queries: append([]string{source.WholeDepartement(f.minRows),
			rejectWithout("section1", "SEC_CADASTRE1"), rejectWithout("plan1", "NUM_CADASTRE1"),
			rejectWithout("date", "DATE_REELLE_AUTORISATION")}, f.checks...)},
		Target: source.Target{Table: "geo.permit", Key: []string{"part", "id"}, Part: true, Create: permitTables},
		Derived: []source.Derived{
			{Name: "permit_references", Query: permitReferences,
				Target: source.Target{Table: "geo.permit_parcel", Part: true,
					Key: []string{"part", "id", "area", "prefix", "section", "plan"}}},
			{Name: "permit_counts", Query: unplacedPermits,
				Target: source.Target{Table: "geo.permit_unplaced", Part: true, Key: []string{"part", "area"}}},
		},
		Covers: source.Covers("permit_" + f.name),
		Note:   "One of four files of one month. Parcels are looked up in what is loaded before.",
	}
}

// listOrigins lists the file of a département and that of the country.
func (f permitFile) listOrigins() []fetch.Origin {
	address := "https://data.statistiques.developpement-durable.gouv.fr/dido/api/v1/datafiles/" + f.resource +
		"/csv?withColumnName=true&withColumnDescription=false&withColumnUnit=false"
	origin := fetch.Origin{
		From: producer.At{Address: address}, As: "sitadel/sitadel-" + f.name + ".csv",
		Extent: fetch.FranceOnly, Bytes: f.size, Rhythm: "monthly",
		Note: "The producer serves the newest edition alone.",
	}
	place := origin
	place.From = producer.At{Address: address + "&DEP_CODE=eq:{departement}"}
	place.As = "sitadel/sitadel-" + f.name + "-{departement}.csv"
	place.Area, place.Extent, place.Bytes = fetch.Departement, fetch.PlacesOnly, f.size/100
	return []fetch.Origin{origin, place}
}

// listColumns lists the columns that all files have, and those of this file.
func (f permitFile) listColumns() []source.Column {
	all := append([]source.Column{
		{Name: "code", From: []string{"COMM"}, Required: true, Pad: 5, Match: source.CommuneCode},
		{Name: "number", From: []string{"NUM_" + f.suffix}, Required: true,
			Match: "[0-9]{2}[0-9AB][0-9]{3}[0-9A-Z]{7}"},
		{Name: "state", From: []string{"ETAT_" + f.suffix}, Required: true, Match: "[2456]"},
		{Name: "date", From: []string{"DATE_REELLE_AUTORISATION"}, Kind: source.Date},
		{Name: "edition", From: []string{"DPC_DERN"}, Match: "[0-9]{4}-[0-9]{2}.*"},
		{Name: "category", From: []string{"CJ_DEM"}},
		{Name: "applicant", From: []string{"DENOM_DEM"}, FixMojibake: true, Persons: source.LegalPersonName},
		{Name: "siren", From: []string{"SIREN_DEM"}},
		source.FileScope,
	}, f.columns...)
	for i := range maxReferences {
		nth := strconv.Itoa(i + 1)
		all = append(all, source.Column{Name: "section" + nth, From: []string{"SEC_CADASTRE" + nth}},
			source.Column{Name: "plan" + nth, From: []string{"NUM_CADASTRE" + nth}})
	}
	return all
}

// selectOptional is SQL for a column that only some of the files have.
func (f permitFile) selectOptional(column string) string {
	for _, c := range f.columns {
		switch {
		case c.Name == column && column == "premises_area": // a row for each use of a permit
			return "sum(s.premises_area) OVER (PARTITION BY s.type, s.number)"
		case c.Name == column:
			return "s." + column
		}
	}
	return "NULL"
}

// listPairs is SQL for the rows of section and number of a permit.
func listPairs() string {
	var all []string
	for i := range maxReferences {
		all = append(all, fmt.Sprintf("(s.section%[1]d, s.plan%[1]d)", i+1))
	}
	return strings.Join(all, ", ")
}

// rejectWithout rejects a file in which a column is empty throughout: it was renamed or removed.
func rejectWithout(column, name string) string {
	return "SELECT 'no row has a value of " + name + "' FROM stage HAVING count(" + column + ") = 0"
}
