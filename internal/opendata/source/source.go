// Package source is the vocabulary in which open data sources are declared. A source is one value: where its
// files are, how to read them, what each column becomes, what makes a row or a file unacceptable, and which
// table it fills. Adding a source means adding a declaration; the loader knows no particular source.
//
// JSON member names are part of the checksum of a load: renaming one makes every installation load the
// sources that use it again. Renamed fields therefore keep their former name in a tag.
package source

import (
	"slices"

	"arpent/internal/opendata/ingest/fetch"
)

// Source declares one data set of one producer, in one format, for one table.
type Source struct {
	Name     string // its name in commands and in geo.load
	Group    string // sources selected by one word and never loaded concurrently: "parcels"
	Title    string
	Producer string
	Licence  Licence
	Homepage string
	Levels   []string `json:"-"` // of figures: the levels it can hold; nil: all that have statistics
	Sums     bool     `json:"-"` // of figures: those of départements are added up from its communes
	// Provisional says that its producer calls the figures provisional: definitive ones are to come.
	Provisional bool `json:"-"`
	// Rounded says that its copy has rounded counts, next to rates that were made of the exact ones.
	Rounded bool     `json:"-"`
	After   []string // names of the sources that its checks and derived tables read; they are loaded before it
	// of figures: of earlier years alone, which the first start loads while it serves
	Earlier bool `json:"-"`

	Files []Files
	// Origins are where its files are published. Without one that has an address they are only placed by
	// hand.
	Origins  []fetch.Origin `json:"-"`
	Read     Read
	Columns  []Column
	Geometry *Geometry // nil: rows without a shape
	// Outlines is SQL for the codes of the communes and arrondissements whose parcels' outlines are read when
	// the rows are served: over "ready" and "load", whose scope it is. A compact database is given these first.
	Outlines string `json:"-"`
	// Join is a query over "stage" that Reject and Rows both need: its rows are made once, as the temporary
	// table "joined". It knows the staged rows by their ctid.
	Join string
	// Rows is SQL over "stage" that computes the rows of the target when they are more than a
	// selection of its columns: sums of several rows, or joins with other tables. Columns, Internal
	// or not, then declare what stage holds. The loader adds the column "part". Drop, Reject,
	// Dedupe and Checks see the staged rows.
	Rows string
	// Unplaced is a condition over "stage" for the rows without a position of their own. They are copied,
	// before Drop, to the temporary table "unplaced", with those that Geometry.StackedBy leaves out: derived
	// tables may read it.
	Unplaced string   `json:",omitempty"`
	Drop     []string // SQL conditions: rows out of scope, dropped without counting as rejected
	Reject   []Rule   // rows to reject, evaluated by the database once all rows are staged
	Dedupe   Dedupe
	Vintage  string // SQL aggregate over the staged columns, for files without a vintage in their name
	Checks   Checks
	Target   Target
	Derived  []Derived
	Covers   []Coverage
	Note     string // what an operator must know about its files; shown in the list of sources
}

// IsFetched reports whether an address of its files is known.
func (s Source) IsFetched() bool {
	return slices.ContainsFunc(s.Origins, func(o fetch.Origin) bool { return o.From != nil })
}

// Coverage is the area in which a load is complete for a layer: inside it, no row means that
// nothing is there; elsewhere nothing is known.
type Coverage struct {
	Layer string
	// Areas is SQL that returns the codes of communes, arrondissements and départements; '' stands for all of
	// France. It reads "ready" and "this_load". Default: the scope of the load, which is such a code or
	// empty; of nested loads only the widest is then served.
	Areas string
}

// Licence is the licence of the data.
type Licence struct {
	Name string
	Open bool // false: the source is only loaded when the operator names it
}

// LicenceOuverte is the licence of nearly all sources.
var LicenceOuverte = Licence{Name: "Licence Ouverte 2.0", Open: true}

// Files selects the files of a source. A file belongs to the first selection that matches it.
type Files struct {
	// Path is a regular expression on the relative path, with slashes. Named groups become fields for column
	// templates; "scope" (commune, département) and "vintage" (a date) have a meaning of their own.
	Path string
	// GroupByScope loads all files of one scope together (the sheets of a
	// commune); otherwise each file is a load.
	GroupByScope bool `json:"Together"`
	// Partial is a regular expression on the path of files that hold only a part of their
	// scope: rows they lack are not deleted.
	Partial string
}

// Format is the layout of a file. Compression (gzip, bzip2, zip, 7z) is detected from the content.
type Format string

// The formats. Spreadsheet and those after it are read through GDAL; a raster becomes one record a tile.
const (
	JSON      Format = "json"  // an array of objects
	JSONLines Format = "jsonl" // one object a line
	// a feature collection, or the polygons of a TopoJSON topology, detected from the content
	GeoJSON Format = "geojson"
	CSV     Format = "csv"
	// .xlsx or .xls (up to 6 MB, without results of formulas), detected from the content
	Spreadsheet Format = "spreadsheet"
	GeoPackage  Format = "gpkg"
	Shapefile   Format = "shapefile"
	Raster      Format = "raster"
)

// Read is how the bytes of a file become records.
type Read struct {
	Format Format
	// Member is a regular expression on the path of the archive member to read; empty: the only
	// one of the format. Through GDAL all that match are read, one after the other, and a record
	// has the fields "_member" and "_layer".
	Member string
	// AllMembers: of CSV too, all members that Member matches are read, one after the other.
	AllMembers bool
	// Layers are names of GDAL's layers or of a topology's objects, or expressions for them,
	// case-insensitive: the first that the file has is read, with all layers or objects that match it.
	// A record of a topology has the name of its object in the field "_layer".
	Layers   []string
	Optional bool     // a file without the member or layer, or without a row, is an empty load and no error
	Items    []string // JSON: path of members to the objects, through arrays: "pmej", "ege"
	// Keyed: the records are the members of the objects that Items leads to, each with its name in the field
	// "_key": {"communes": {"01001": {…}}}. "_value" is the member as written: a number, a text, or JSON.
	Keyed bool
	// Keep selects the lines of a CSV file: column to regular expression that the whole cell must match.
	// Other lines are skipped without counting as rejected.
	Keep map[string]string
	// Encoding of CSV: "utf-8" (default), "cp1252", "latin1", "sniff" (UTF-8 if the whole file is valid, else
	// cp1252), "mixed" (invalid UTF-8 is read as cp1252, character by character). A byte-order mark is always
	// dropped. A file whose accents all decode as another encoding is rejected, and so is UTF-16.
	Encoding  string
	Separator string   // CSV: default ","; "sniff": the most frequent of , ; | and tab in the header
	Lazy      bool     // CSV: a quote inside an unquoted cell is literal
	Header    []string // CSV: column names of a file without a header line
	Skip      int      // CSV: number of lines above the header
	Decimal   string   // decimal separator: "." (default) or ","; blanks between digits are dropped
	Nulls     []string // cells that mean null, in addition to the empty one: "NA", "s", "nd"
	// Missing maps cells that say why a figure is missing to a reason: {"s": "secret"}. In an
	// unpivoted record "_value" is then empty and "_missing" is the reason. In other columns
	// that are not Text they count as Nulls.
	Missing map[string]string
	Unpivot []Unpivot `json:"Wide"` // columns of figures; each becomes a record of its own
	Repeat  *Repeat   // CSV, spreadsheets: repeated groups of columns; each becomes a record of its own

	Sheet string // Spreadsheet: expression that the whole name of the sheet must match; empty: its only sheet
	// HeaderCell is, of CSV and spreadsheets and in place of Skip, an expression: the header is the first
	// row with a cell that matches it.
	HeaderCell string
}

// Unpivot turns columns of figures into records. Each non-empty cell becomes a record with all fields of the
// original one and "_measure", "_period", "_value" and "_missing". A file is rejected if no column matches
// any Unpivot, or if two columns have the same measure and period.
type Unpivot struct {
	// Column is a regular expression that the whole name of a column must
	// match; of several the first match counts.
	Column string
	// Measure and Period are templates: {name} is a named group of Column, else a field of the file's path,
	// else a field of the record. {yy} is a two-digit year, expanded to 2000–2039 or 1940–1999.
	Measure string
	Period  string // empty: the figure has none
}

// Repeat declares repeated groups of columns, such as the candidates of an election. Each group
// with a non-empty cell becomes a record with all other fields, the fields of the group by
// their Names, and "_group": 1, 2, and so on.
type Repeat struct {
	// Names are the column names of a group. Those of group n are called Name_n ("Nom_1",
	// "Voix_1"), in any order, unless From is set.
	Names []string
	// From is the first column of the first group in a file whose further groups have no names: groups as
	// long as Names follow each other to the end of the line, beyond the end of the header if need be.
	From string
}

// Kind is the type a column's text is converted to.
type Kind string

// The kinds.
const (
	Text     Kind = "text"
	Integer  Kind = "integer"
	Number   Kind = "double precision"
	Date     Kind = "date" // 2006-01-02, 02/01/2006 or 20060102
	Boolean  Kind = "boolean"
	TextList Kind = "text[]"
	Reals    Kind = "real[]" // the values of a raster tile
	Objects  Kind = "jsonb"  // a JSON array of objects; their members that are objects or arrays are dropped
)

// Column declares one column of the result.
type Column struct {
	Name string
	// From lists the names it has had in the files, case-insensitive; the first one present is read.
	// "NAME#2" is the second of two columns with one name, "adresse.commune" a nested member, in the
	// first element of an array. Default: Name.
	From []string
	// Template builds the text from several fields when none of From is present: "{dep}{com:3}" pads com to
	// three characters with zeros. If one field is missing the value is null.
	Template    string
	Kind        Kind   // default Text
	Pad         int    // shorter text is padded with leading zeros
	Required    bool   // a row without it is rejected
	Match       string // regular expression that the whole text must match
	FixMojibake bool   `json:"Mend"` // repairs text that was encoded twice ("AllÃ©e")
	Internal    bool   // available in rules, but not a column of the target
	SQL         string // computed from the other columns, after all others, instead of being read
	// Persons says what kind of names the column has, which may be those
	// of natural persons: such a name is null.
	Persons Persons
}

// Persons is a rule by which the names of natural persons are recognised. A changed rule has a new value, by
// which the sources that use it are loaded again.
type Persons string

// The rules.
const (
	// OrganisationName serves what is known to name an organisation: by its legal form, by a
	// word such as "garage", or by being one word without a civility. A number in Sirene is no
	// such sign, since sole traders have one.
	OrganisationName Persons = "organisation 2"
	// KnownOrganisationName is the same, but a single word has to be one that no person has as a name.
	KnownOrganisationName Persons = "known organisation 2"
	PlaceName             Persons = "place 1" // serves all names but those with a civility before a name
	// LegalPersonName serves the names of a list of legal persons, but those with a civility before a name
	// or at either end, and those of joint owners, heirs and sole traders.
	LegalPersonName Persons = "legal person 1"
)

// Geometry declares where the shape of a row comes from, the column "geom".
type Geometry struct {
	From     GeometryFrom
	X, Y     []string // LonLat: names of the two columns. Others: X names the one column
	SRID     int      // when the file declares none; default 4326
	SRIDFrom string   // column of the projection, row by row: a number, "EPSG:2154", or one of SRIDNames
	// SRIDNames maps the values of the column SRIDFrom, case-insensitive, to projections.
	SRIDNames map[string]int
	// MetricSRID is the projection of shapes whose coordinates cannot be degrees, in files that declare none.
	MetricSRID int
	// SRIDByScope maps département codes to projections. It comes before SRID.
	SRIDByScope map[string]int
	Polygon     bool // the result is a MultiPolygon: other types are rejected, invalid ones repaired
	// Subdivide cuts shapes into parts of at most 128 vertices. Each part is a row of its own,
	// numbered from 1 by the column "piece".
	Subdivide bool `json:"Pieces"`
	Optional  bool // a row without a shape is kept
	// StackedBy is SQL for the commune of a row. Points on which many rows of one commune lie stand for the
	// commune, not for a place: their rows are left out, and counted apart from rejected ones.
	StackedBy string
	Bounds    []Box
	// Else is used for rows without a shape here. Only its From, X, Y and projections count.
	Else *Geometry
}

// GeometryFrom is an encoding of a shape.
type GeometryFrom string

// The encodings.
const (
	Feature     GeometryFrom = "feature" // the geometry member of a GeoJSON feature, or GDAL's
	LonLat      GeometryFrom = "lonlat"  // two columns, whatever the projection
	LatLonText  GeometryFrom = "latlon"  // "48.85, 2.35"
	GeoJSONText GeometryFrom = "geojson" // a GeoJSON geometry in a cell
	WKT         GeometryFrom = "wkt"     // well-known text in a cell
)

// Box is a rectangle in degrees.
type Box struct{ West, South, East, North float64 }

// Rule rejects the rows for which When (SQL over the staged columns)
// is true. Reason is an SQL text expression.
type Rule struct {
	When, Reason string
	// LeaveOut is a condition for rows that are no fault of the file. They are left out first, and counted
	// apart from rejected ones.
	LeaveOut string `json:"-"`
}

// Dedupe keeps one row a key: the first by Best (an SQL ordering), else the first in the files.
type Dedupe struct {
	Key  []string
	Best string
}

// Checks accept or reject the load as a whole. A rejected load leaves the current data in place.
type Checks struct {
	MinRows, MaxRows int64   // 0: not checked; a load without a valid row is always rejected
	MaxRefused       float64 // maximum share of rejected rows; default 0.01
	Known            []Known
	Queries          []string // each returns error messages, one a row; any row rejects the load
}

// Known rejects rows whose code is not among the codes that Query returns, none of them null. It rejects
// rows, not the load: MaxRefused decides how many are too many.
type Known struct {
	Code   string // SQL expression over the staged columns
	Query  string
	Reason string // SQL text expression
	// Elsewhere is SQL for further codes, none of them null: of places that exist or existed
	// and that the table does not serve. Their rows are no fault of the file: they are left
	// out, and counted apart from rejected ones.
	Elsewhere string `json:"-"`
}

// Target is the table that the rows end in. Rows are merged by key: missing ones are deleted,
// changed ones updated, the others untouched.
type Target struct {
	Table string // "geo.commune"
	// Create is SQL for a table that no numbered migration makes, its indexes and related tables: CREATE
	// TABLE geo.… and CREATE INDEX … statements, each at the start of a line. Every migration runs those
	// whose table or index is missing; it does not alter a table that is there.
	Create string `json:"-"`
	// Key are the columns of the table's key; with Swap, those of the key of "ready".
	Key []string
	// ScopeColumn: a load, or its Swap, replaces only the rows where this column starts
	// with the load's scope. Empty: all rows.
	ScopeColumn string
	// Part: several sources and scopes share the table. The loader fills its column "part", the first of the
	// table's key, with the name of the source and the scope; a load replaces only the rows of its own part.
	Part bool
	// Swap replaces the merge: SQL run in the swap transaction on the tables "ready" (the rows) and
	// "this_load" (one row: id, scope, vintage, rank, complete, and columns, the names of those that were
	// read). Lines that start with "---" separate the statements. Loads of several départements run it at
	// the same time: it locks the rows that they share.
	Swap string
	// After is SQL run in the swap transaction once the rows are merged, of one load at a
	// time. It can read the same tables as Swap.
	After string
	// History: loads of older vintages stay useful, so an inactive one is not loaded again.
	History bool
	// Rank orders sources of equal vintage that fill the same table: the highest is served.
	Rank int
}

// Derived is a table computed from the rows of the same load, swapped in the same transaction. Query reads
// "ready", the earlier derived tables by Name, and tables of other sources.
type Derived struct {
	Name   string
	Query  string
	Target Target
}
