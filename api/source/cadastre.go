package source

import _ "embed"

//go:embed sql/parcelle_swap.sql
var parcelleSwap string

//go:embed sql/parcelle_sheet.sql
var parcelleSheet string

// idu is the form of a parcel's reference: commune, prefix, section, number.
const idu = `([0-9]{2}|2[AB])[0-9]{3}[0-9]{3}[0-9A-Z]{2}[0-9]{4}`

const sheetNumber = `[0-9]{1,3}`

// day is a date in a file name.
const day = `(?P<vintage>[0-9]{4}-[0-9]{2}-[0-9]{2})`

// latestDate dates a file by the last change recorded in it.
const latestDate = "greatest(max(updated), max(created))::text"

// scopeIsCode holds the test that a load's scope is the code of a commune or département, not a path.
const scopeIsCode = `file_scope ~ '^[0-9][0-9AB][0-9]{0,3}$'`

// knownCommune refuses what is not in a commune of today that is part of a département: those of the overseas
// collectivities have names and nothing else here. A former commune's parcels have other references now; the old ones
// are not rewritten, because which prefix the merger gave them is not in the file.
func knownCommune(column string) []Known {
	code := "left(" + column + ", 5)"
	return []Known{{
		Code: code,
		Query: `SELECT code FROM geo.commune
			WHERE type IN ('commune-actuelle', 'arrondissement-municipal') AND departement_code IS NOT NULL`,
		Reason: `coalesce((SELECT 'commune ' || ` + code + ` || CASE WHEN k.departement_code IS NULL
				THEN ' is in no département: only its name is served' ELSE ' is part of ' || k.commune_code || ' now' END
			FROM geo.commune k WHERE k.code = ` + code + ` OR k.former_codes @> ARRAY[` + code + `]
			LIMIT 1), 'no commune has code ' || ` + code + `)`,
	}}
}

func ofScope(column string) Rule {
	return Rule{
		When:   scopeIsCode + ` AND NOT starts_with(` + column + `, file_scope)`,
		Reason: column + ` || ' is not in ' || file_scope || ', which the file is named after'`,
	}
}

var fileScope = Column{Name: "file_scope", Template: "{scope}", Internal: true}

// parcelSource is what the three ways of publishing the same plan have in common.
func parcelSource(name, title string, rank int, columns ...Column) Source {
	return Source{
		Name:     name,
		Group:    "parcels",
		Title:    title,
		Licence:  LicenceOuverte,
		After:    []string{"cog-regions", "cog-departements", "cog-communes"},
		Columns:  append(columns, fileScope),
		Geometry: &Geometry{From: Feature, Polygon: true, Bounds: France},
		Reject:   []Rule{ofScope("idu")},
		Dedupe:   Dedupe{Key: []string{"idu"}},
		Vintage:  latestDate,
		Checks:   Checks{Known: knownCommune("idu")},
		Target:   Target{Table: "geo.parcelle", Key: []string{"idu"}, Swap: parcelleSwap, History: true, Rank: rank},
	}
}

var (
	contenance = Column{Name: "contenance", From: []string{"contenance", "SUPF"}, Kind: Integer}
	updated    = Column{Name: "updated", From: []string{"updated", "UPDATE_DATE"}, Kind: Date, Internal: true}
	created    = Column{Name: "created", From: []string{"created", "CREAT_DATE"}, Kind: Date, Internal: true}
)

// parcelles are the parcels of the cadastral plan. When several sources hold one commune the newest vintage is served.
func parcelles() []Source {
	edigeo := parcelSource("parcelles-edigeo", "Plan cadastral informatisé (EDIGEO)", 1,
		// The reference in the file lacks the département.
		Column{Name: "idu", Template: "{dep}{IDU}", Required: true, Match: idu},
		contenance, updated, created,
		Column{Name: "feuille", Template: "{sheet}", Kind: Integer, Match: sheetNumber})
	edigeo.Producer = "DGFiP"
	edigeo.Homepage = "https://cadastre.data.gouv.fr/datasets/plan-cadastral-informatise"
	edigeo.Files = edigeoFiles
	edigeo.Read = Read{Format: EDIGEO, Member: `(?i)\.THF$`, Layers: []string{"PARCELLE_id"}}

	etalab := parcelSource("parcelles-etalab", "Cadastre Etalab : parcelles", 2,
		Column{Name: "idu", From: []string{"id"}, Required: true, Match: idu},
		contenance, updated, created,
		Column{Name: "feuille", SQL: "geo.sheet_of(idu, geom)"}) // null until the sheets come, see parcelle_sheet.sql
	etalab.Producer = "DGFiP; Etalab"
	etalab.Homepage = "https://cadastre.data.gouv.fr/datasets/cadastre-etalab"
	etalab.Files = etalabFiles("parcelles")
	etalab.Download = etalabDownload("parcelles")
	etalab.Read = Read{Format: GeoJSON}

	return []Source{edigeo, etalab,
		ignParcels("parcelles-ign-gpkg", "Parcellaire Express (GeoPackage)", GeoPackage, "gpkg"),
		ignParcels("parcelles-ign-shp", "Parcellaire Express (Shapefile)", Shapefile, "shp")}
}

// ignParcels is the parcellaire of IGN, which names the sheet of each parcel. IGN packs it as 7z: it is unpacked by hand.
func ignParcels(name, title string, format Format, extension string) Source {
	const delivery = `_D0?(?P<scope>[0-9]{2,3}|2[AB])_` + day
	inDelivery := "parcelle"
	if format == GeoPackage {
		inDelivery = "[^/]*"
	}
	s := parcelSource(name, title, 3,
		Column{Name: "idu", From: []string{"IDU"}, Required: true, Match: idu,
			Template: "{CODE_DEP}{CODE_ARR|CODE_COM:3}{COM_ABS:3}{SECTION:2}{NUMERO:4}"},
		contenance,
		Column{Name: "feuille", Kind: Integer, Match: sheetNumber})
	s.Producer = "IGN; DGFiP"
	s.Homepage = "https://geoservices.ign.fr/parcellaire-express-pci"
	s.Vintage = ""
	s.Files = []Files{
		// As IGN names its deliveries, which hold a file a layer or a package of layers: …_D075_2024-07-01/…/PARCELLE.SHP;
		// as one renames a file to keep it.
		{Path: `(?i)(^|/)p(arcellaire|e_)[^/]*` + delivery + `[^/]*/(.*/)?` + inDelivery + `\.` + extension + `$`},
		{Path: `(?i)(^|/)(parcel|pepci)[^/]*` + delivery + `[^/]*\.` + extension + `$`},
		{Path: `(?i)(^|/)parcellaire[^/0-9]*[-_](?P<scope>[0-9AB]{2,5})(\.` + day + `)?\.` + extension + `$`},
		{Path: `(?i)(^|/)parcelle\.` + extension + `$`},
	}
	s.Read = Read{Format: format, Layers: []string{"PARCELLE"}}
	s.Geometry.SRID = lambert93
	s.Geometry.SRIDByScope = OfficialSRID
	return s
}

// edigeoFiles are the sheets of a commune. Nothing tells whether all of them are there.
var edigeoFiles = []Files{{
	Path:     `(?i)(^|/)edigeo-(?P<scope>(?P<dep>[0-9][0-9AB])[0-9]{3})[0-9]{3}[0-9A-Z]{2}(?P<sheet>[0-9]{2})\.tar\.bz2$`,
	Together: true,
	Partial:  `.`,
}}

// etalabFiles are the files of one layer, of a commune or of a département.
func etalabFiles(layer string) []Files {
	const end = `\.(geo)?json(\.gz)?$`
	return []Files{
		{
			Path:    `(^|/)cadastre-(?P<scope>[0-9AB]{2,5})-` + layer + `(\.` + day + `|\.subset)?` + end,
			Partial: `\.subset\.`,
		},
		{Path: `(^|/)(?P<scope>[0-9AB]{5})-[^/]*/` + layer + end}, // a file kept in the commune's folder
	}
}

func etalabDownload(layer string) *Download {
	return &Download{
		Departement: "{cadastre}/latest/geojson/departements/{departement}/cadastre-{departement}-" + layer + ".json.gz",
		Commune:     "{cadastre}/latest/geojson/communes/{departement}/{commune}/cadastre-{commune}-" + layer + ".json.gz",
	}
}

// planches are the sheets and sections of the plan. A parcel whose source does not name its sheet gets it from here,
// whichever is loaded first.
func planches() []Source {
	sheet := Column{Name: "id", Required: true, Match: `([0-9]{2}|2[AB])[0-9]{6}[0-9A-Z]{2}[0-9]{2}`}
	section := Column{Name: "id", Required: true, Match: `([0-9]{2}|2[AB])[0-9]{6}[0-9A-Z]{2}`}
	edigeoSheet := sheet
	edigeoSheet.Template, edigeoSheet.From = "{dep}{IDU}", []string{}
	plan := func(name, title, table, after string, id Column) Source {
		return Source{
			Name: name, Group: "parcels", Title: title, Producer: "DGFiP; Etalab", Licence: LicenceOuverte,
			Homepage: "https://cadastre.data.gouv.fr/datasets/cadastre-etalab",
			After:    []string{"cog-regions", "cog-departements", "cog-communes"},
			Read:     Read{Format: GeoJSON},
			Columns:  []Column{id, updated, created, fileScope},
			Geometry: &Geometry{From: Feature, Polygon: true, Bounds: France},
			Reject:   []Rule{ofScope("id")},
			Dedupe:   Dedupe{Key: []string{"id"}},
			Vintage:  latestDate,
			Checks:   Checks{Known: knownCommune("id")},
			Target:   Target{Table: table, Key: []string{"id"}, ScopeColumn: "id", After: after},
		}
	}
	feuilles := plan("feuilles-etalab", "Cadastre Etalab : feuilles", "geo.feuille", parcelleSheet, sheet)
	feuilles.Files, feuilles.Download = etalabFiles("feuilles"), etalabDownload("feuilles")
	sections := plan("sections-etalab", "Cadastre Etalab : sections", "geo.section", "", section)
	sections.Files, sections.Download = etalabFiles("sections"), etalabDownload("sections")
	edigeo := plan("feuilles-edigeo", "Plan cadastral informatisé (EDIGEO) : feuilles", "geo.feuille", parcelleSheet, edigeoSheet)
	edigeo.Producer, edigeo.Files = "DGFiP", edigeoFiles
	edigeo.Read = Read{Format: EDIGEO, Member: `(?i)\.THF$`, Layers: []string{"SUBDSECT_id"}}
	return []Source{edigeo, feuilles, sections}
}
