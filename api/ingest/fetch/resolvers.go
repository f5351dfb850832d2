package fetch

import (
	"context"
	"errors"
)

var errToBeWritten = errors.New("to be written")

// DataGouv is a resource of a dataset on data.gouv.fr: the one with an id if it is still there, else those that the
// expressions select, the newest by the date in the name of the file.
type DataGouv struct {
	Dataset  string // id or slug
	Resource string // id; may be empty
	File     string // regular expression on the last part of the resource's address; may be empty
	Title    string // regular expression on its title; may be empty
	Newest   int    // how many to take, the newest first; 0: one; All: all that match
}

// All takes every resource that matches.
const All = -1

// Opendatasoft is the export of a dataset of an Opendatasoft portal, whose rows are compared with its total_count.
type Opendatasoft struct {
	Host    string // "data.culture.gouv.fr"
	Dataset string
	Format  string // "csv" (separated by ";"), "geojson"
	Labels  bool   // columns by their labels, not their technical names
	Select  string
	Where   string // with {departement} and {year}; with {year} one file a year, field year
	Years   int    // how many years to take; 0: the newest
}

// Attachment is a file attached to a dataset of an Opendatasoft portal.
type Attachment struct {
	Host    string
	Dataset string
	Title   string // regular expression on its title or id; the newest that matches is taken
}

// DataFair is the lines of a dataset of a data-fair portal, page after page.
type DataFair struct {
	Host    string // "data.ademe.fr"
	Dataset string
	Select  string // columns, separated by commas
	Filter  string // "code_departement_ban_eq={departement}"; may be empty
	Format  string // "csv", "geojson"
}

// InseePage is a file on a page of insee.fr whose number stays while the name of the file moves on.
type InseePage struct {
	Page int
	File string // regular expression on the name of the file; the newest by the year in it is taken
}

// Melodi is a dataset of INSEE's catalogue of data, as the CSV product that the catalogue names. It is a zip.
type Melodi struct{ Dataset string }

// Geoplateforme is the newest edition of a product of IGN, in as many volumes as it has.
type Geoplateforme struct {
	Product string // "BDTOPO"
	Format  string // "SHP", "GPKG", "ASC"
	Edition string // regular expression on the name of the edition
}

// WFS is a layer of a Web Feature Service, page after page, joined into one GeoJSON feature collection in degrees.
type WFS struct {
	Endpoint string // "https://data.geopf.fr/wfs/ows"
	Layer    string // "patrinat_znieff1:znieff1"
	Filter   string // CQL, with {departement} and {commune}; may be empty
}

// S3 is the files of a listing of a bucket.
type S3 struct {
	Bucket string // "https://object.files.data.gouv.fr/meteofrance"
	Prefix string
	File   string // regular expression on the rest of the key, with {departement}; all that match are taken
}

// Urbanisme is the document in force of a partition of the Géoportail de l'urbanisme.
type Urbanisme struct {
	Partition string // "DU_{commune}"
}

// D4C is the file that a dataset of a D4C portal names as its newest.
type D4C struct {
	Host    string // "data.anfr.fr"
	Dataset string
}

// Overpass is the OpenStreetMap objects with a tag in a département, as GeoJSON.
type Overpass struct{ Key, Value string }

func (DataGouv) String() string      { return "" }
func (Opendatasoft) String() string  { return "" }
func (Attachment) String() string    { return "" }
func (DataFair) String() string      { return "" }
func (InseePage) String() string     { return "" }
func (Melodi) String() string        { return "" }
func (Geoplateforme) String() string { return "" }
func (WFS) String() string           { return "" }
func (S3) String() string            { return "" }
func (Urbanisme) String() string     { return "" }
func (D4C) String() string           { return "" }
func (Overpass) String() string      { return "" }

func (DataGouv) Resolve(context.Context, *Client, Place) ([]Remote, error) {
	return nil, errToBeWritten
}
func (Opendatasoft) Resolve(context.Context, *Client, Place) ([]Remote, error) {
	return nil, errToBeWritten
}
func (Attachment) Resolve(context.Context, *Client, Place) ([]Remote, error) {
	return nil, errToBeWritten
}
func (DataFair) Resolve(context.Context, *Client, Place) ([]Remote, error) {
	return nil, errToBeWritten
}
func (InseePage) Resolve(context.Context, *Client, Place) ([]Remote, error) {
	return nil, errToBeWritten
}
func (Melodi) Resolve(context.Context, *Client, Place) ([]Remote, error) { return nil, errToBeWritten }
func (Geoplateforme) Resolve(context.Context, *Client, Place) ([]Remote, error) {
	return nil, errToBeWritten
}
func (WFS) Resolve(context.Context, *Client, Place) ([]Remote, error) { return nil, errToBeWritten }
func (S3) Resolve(context.Context, *Client, Place) ([]Remote, error)  { return nil, errToBeWritten }
func (Urbanisme) Resolve(context.Context, *Client, Place) ([]Remote, error) {
	return nil, errToBeWritten
}
func (D4C) Resolve(context.Context, *Client, Place) ([]Remote, error) { return nil, errToBeWritten }
func (Overpass) Resolve(context.Context, *Client, Place) ([]Remote, error) {
	return nil, errToBeWritten
}
