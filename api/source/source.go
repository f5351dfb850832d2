// Package source is the catalogue of the open data that the service is built from. A source is described here, once,
// as a value: where its files are, how to read them, what each column becomes, what makes a row or a whole file
// unacceptable, and which table it ends in. Adding a source is adding a description; the loader knows no particular one.
package source

// Source describes one data set of one producer, in one format, for one table.
type Source struct {
	Name     string // what commands and geo.load call it
	Group    string // sources that are loaded together under one word, and never at the same time: "parcels"
	Title    string
	Producer string
	Licence  Licence
	Homepage string
	Levels   []string `json:"-"` // of figures: the kinds of territories that it can describe; nil: all that have statistics
	After    []string // names of the sources that its checks and derived tables read; they are loaded before it

	Files    []Files
	Download *Download // nil: its files are only ever put there by hand
	Read     Read
	Columns  []Column
	Geometry *Geometry // nil: rows without a shape
	// Rows is SQL over "stage" that makes the rows of the target, when they are more than a selection of its columns:
	// sums of several rows, or rows joined with other tables. What stage holds then is said by Columns, Internal or not.
	// The loader adds the column "part". Drop, Reject, Dedupe and Checks judge the staged rows before.
	Rows    string
	Drop    []string // SQL conditions: rows that are none of ours, left out without being counted as refused
	Reject  []Rule   // rows that are refused, judged by the database once all rows are there
	Dedupe  Dedupe
	Vintage string // SQL aggregate over the staged columns, for files whose name does not tell their vintage
	Checks  Checks
	Target  Target
	Derived []Derived
	Covers  []Coverage
	Note    string // what an operator has to know about its files; shown in the list of sources
}

// Coverage says for which places a load tells something of a layer: there, finding nothing means that nothing is
// there; elsewhere nothing is known.
type Coverage struct {
	Layer string
	// Areas is SQL that returns the codes of communes, arrondissements and départements; '' stands for all of France. It
	// reads "ready" and "this_load". Default: the scope of the load, which is such a code or empty; of loads within each
	// other only the widest is then served.
	Areas string
}

// Licence is the permission that the data comes with.
type Licence struct {
	Name string
	Open bool // false: the data stays out unless the operator asks for the source by name
}

// LicenceOuverte is the licence of nearly everything here.
var LicenceOuverte = Licence{Name: "Licence Ouverte 2.0", Open: true}

// Files says which files belong to the source. A file belongs to the first description that fits it.
type Files struct {
	// In is where to look when neither the data folder nor the downloads have a file of the source: "package:" and a
	// path inside node_modules.
	In string
	// Path is a regular expression on the path inside the place, with slashes. Named groups become fields that
	// column templates can use; "scope" (commune, département) and "vintage" (a date) have a meaning of their own.
	Path string
	// Together: the files of one scope are one load (the sheets of a commune); otherwise each file is a load.
	Together bool
	// Partial is a regular expression on the path of files that hold only a part of their scope: what they lack
	// is not gone.
	Partial string
}

// Download gives the addresses of official files. {cadastre} is the configured base, {departement} and {commune} what
// the command line asks for.
type Download struct {
	Departement string
	Commune     string
}

// Format is how a file is laid out. Compression (gzip, zip, tar.bz2) is recognised by content, not declared.
type Format string

// The formats. GeoPackage and those after it are read through GDAL; a raster becomes one record a tile.
const (
	JSON        Format = "json"    // an array of objects
	JSONLines   Format = "jsonl"   // an object a line
	GeoJSON     Format = "geojson" // a feature collection
	CSV         Format = "csv"
	Parquet     Format = "parquet"     // its columns that are neither lists nor groups
	Spreadsheet Format = "spreadsheet" // .xlsx or .xls, told apart by content; dates are read as 2006-01-02
	GeoPackage  Format = "gpkg"
	Shapefile   Format = "shapefile"
	EDIGEO      Format = "edigeo"
	Raster      Format = "raster"
)

// Read says how the bytes of a file become records.
type Read struct {
	Format Format
	// Member is a regular expression on the path of the member of an archive to read; empty: the only one that fits the
	// format. Through GDAL all that fit are read, one after the other, and a record has the fields "_member" and "_layer".
	Member   string
	Layers   []string // GDAL: layer names or regular expressions of them, in any letter case; the first that the file has is read
	Optional bool     // a file without the member or layer, or without a row, is a load of no rows: there is nothing
	Items    []string // JSON: members that lead to the objects, through arrays on the way: "pmej", "ege"
	// Keyed: the objects that Items leads to are not records, their members are, each with its name in the field "_key":
	// {"communes": {"01001": {…}}}. "_value" is the member as it is written: a number, a text, or JSON.
	Keyed  bool
	Record string // CSV: only the lines whose first cell is this are read, of a file with several kinds of lines
	// Keep is for CSV files of which little is wanted: column to regular expression that the whole cell must fit. Other
	// lines are passed over, without being counted as refused.
	Keep map[string]string
	// Encoding of CSV: "utf-8" (default), "cp1252", "latin1", "sniff" (UTF-8 when all of the file is, else cp1252),
	// "mixed" (what is not UTF-8 is cp1252, letter by letter). A byte-order mark is always dropped. A file with
	// accents that are all of another encoding is refused, and so is UTF-16.
	Encoding  string
	Separator string   // CSV: default ","; "sniff": the one of , ; | and tab that the header has most of
	Lazy      bool     // CSV: a quote inside an unquoted cell is taken as it is
	Header    []string // CSV: names of the columns of a file that has no header line
	Skip      int      // CSV, spreadsheets: lines above the header
	Decimal   string   // the sign in numbers: "." (default) or ","; blanks between digits are dropped
	Nulls     []string // cells that mean nothing, beside the empty one: "NA", "s", "nd"
	// Missing are cells that say why a figure is not there, with the word for it: {"s": "secret"}. In a record of Wide
	// "_value" is then empty and "_missing" the word. In other columns that are not Text they count as Nulls.
	Missing map[string]string
	Wide    []Wide  // a record holds many figures, one a column; each becomes a record of its own
	Repeat  *Repeat // CSV, spreadsheets: groups of columns come again in a record; each becomes a record of its own

	Sheet      string // Spreadsheet: regular expression that the whole name of the sheet must fit; empty: its only sheet
	HeaderCell string // Spreadsheet: in place of Skip, the header is the first row with a cell that this expression fits whole
}

// Wide makes records of the columns that hold figures. Each cell that is not empty becomes a record with all fields of
// the whole record and "_measure", "_period", "_value" and "_missing". A file without a column that fits any Wide is
// refused, and so is one with two columns for the same measure and period.
type Wide struct {
	// Column is a regular expression that the whole name of a column must fit; of several Wide the first that fits counts.
	Column string
	// Measure is what the figure is, and Period when it was: templates, in which {name} is a named group of Column, else a
	// field of the file's path, else a field of the record. {yy} is a year of two digits, completed: 2000 to 2039, 1940 to 1999.
	Measure string
	Period  string // empty: the figure has none
}

// Repeat says which columns come again: the candidates of an election. Each group with a cell that is not empty becomes
// a record with all other fields, the fields of the group by their Names, and "_group": 1, 2, and so on.
type Repeat struct {
	// Names are the names of the columns of a group. Those of group n are called Name_n ("Nom_1", "Voix_1"), in any order,
	// unless there is a From.
	Names []string
	// From is the name of the first column of the first group of a file whose further groups have no names: groups as long
	// as Names follow each other to the end of the line, beyond the end of the header if need be.
	From string
}

// Kind is what a column's text is converted to.
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
)

// Column describes one column of the result.
type Column struct {
	Name string
	// From are the names it has had in the files, in any letter case; the first that is there is read. "NAME#2" is the
	// second of two columns that bear one name, "adresse.commune" a member of a member, or of its first element. Default:
	// Name.
	From []string
	// Template builds the text from several fields when none of From is there: "{dep}{com:3}" pads com to three
	// characters with zeros. One missing field makes the whole absent.
	Template string
	Kind     Kind   // default Text
	Pad      int    // text shorter than this gets zeros in front
	Required bool   // a row without it is refused
	Match    string // regular expression the whole text must fit
	Mend     bool   // text that was encoded twice on its way ("AllÃ©e") is put right
	Internal bool   // read and usable in rules, but not a column of the target
	SQL      string // computed from the other columns, after everything else, instead of being read
}

// Geometry says where the shape of a row comes from.
type Geometry struct {
	Name     string // column of the result; default "geom"
	From     GeometryFrom
	X, Y     []string // LonLat: names of the two columns. Others: X names the one column
	SRID     int      // when the file does not say; default 4326
	SRIDFrom string   // column that holds it, row by row: a number, "EPSG:2154", or one of SRIDNames
	// SRIDNames gives the projection for what stands in the column SRIDFrom, in any letter case.
	SRIDNames map[string]int
	// MetricSRID is the projection of shapes whose coordinates cannot be degrees, in files that name none.
	MetricSRID int
	// SRIDByScope is asked before SRID: département code to SRID.
	SRIDByScope map[string]int
	Polygon     bool // the result is a MultiPolygon: other types are refused, invalid ones repaired
	// Pieces cuts shapes into pieces of at most 128 corners. Each piece is a row of its own, numbered from 1 by the
	// column "piece".
	Pieces   bool
	Optional bool // a row without a shape is kept
	Bounds   []Box
	// Else is asked when a row has no shape here. Only its From, X, Y and projections count.
	Else *Geometry
}

// GeometryFrom names a way of writing a shape.
type GeometryFrom string

// The ways.
const (
	Feature     GeometryFrom = "feature" // the geometry member of a GeoJSON feature, or GDAL's
	LonLat      GeometryFrom = "lonlat"  // two columns, whatever the projection
	LatLonText  GeometryFrom = "latlon"  // "48.85, 2.35"
	GeoJSONText GeometryFrom = "geojson" // a GeoJSON geometry in a cell
	WKT         GeometryFrom = "wkt"     // well-known text in a cell
	DMS         GeometryFrom = "dms"     // X and Y name four columns each: degrees, minutes, seconds, and E/W or N/S
)

// Box is a rectangle of degrees.
type Box struct{ West, South, East, North float64 }

// Rule refuses the rows for which When (SQL over the staged columns) is true. Reason is SQL too: a text expression.
type Rule struct{ When, Reason string }

// Dedupe keeps one row a key: the first by Best (an SQL ordering), else the first in the files.
type Dedupe struct {
	Key  []string
	Best string
}

// Checks decide on the load as a whole. A check that fails leaves the old data in place.
type Checks struct {
	MinRows, MaxRows int64   // 0: not checked; a load without a single good row is always refused
	MaxRefused       float64 // greatest share of refused rows; default 0.01
	Known            []Known
	Queries          []string // each returns the complaints, one text a row; any row refuses the load
}

// Known refuses rows whose code is not found by Query, which returns the codes, none of them null. The rule is one for rows, not for
// the load: MaxRefused judges how many are too many.
type Known struct {
	Code   string // SQL expression over the staged columns
	Query  string
	Reason string // SQL text expression
}

// Target is the table the rows end in. Rows are merged by key: gone ones deleted, changed ones updated, the others
// left alone.
type Target struct {
	Table string // "geo.commune"
	Key   []string
	// ScopeColumn: a load replaces only the rows where this column starts with the load's scope. Empty: all rows.
	ScopeColumn string
	// Part: several sources and scopes share the table. Its column "part", which is the first of the table's key, is
	// filled by the loader with the name of the source and the scope; a load replaces the rows of its own part only.
	Part bool
	// Swap replaces the merge: SQL run in the swap transaction on the tables "ready" (the rows) and "this_load" (one
	// row: id, scope, vintage, rank, complete, and columns, the names of those that were read). Statements are separated by lines that start with "---".
	Swap string
	// After is SQL run in the swap transaction once the rows are merged, with the same tables to read as Swap.
	After string
	// History: loads of older vintages stay useful, so an inactive one is not loaded again.
	History bool
	// Rank orders sources of equal vintage that fill the same table: the greater one is served.
	Rank int
}

// Derived is a table computed from the rows of the same load, swapped in the same transaction. Query reads "ready",
// the earlier derived tables by their Name, and tables of other sources.
type Derived struct {
	Name   string
	Query  string
	Target Target
}
