package standin

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"arpent/api/ingest/fetch"
	"arpent/api/ingest/fetch/producer"
	"arpent/api/source"
)

// offer is the files that stand in for those of an origin at a place.
type offer struct {
	src    source.Source
	origin fetch.Origin
	from   fetch.Resolver // of the origin, without what a topic wraps it in
	place  fetch.Place
	files  []local
}

// unwrapped is the resolver that a type of a topic embeds, or the resolver itself.
func unwrapped(r fetch.Resolver) fetch.Resolver {
	v := reflect.ValueOf(r)
	if v.Kind() == reflect.Struct && v.NumField() == 1 && v.Type().Field(0).Anonymous {
		if inner, is := v.Field(0).Interface().(fetch.Resolver); is {
			return inner
		}
	}
	return r
}

// fitting are the files of an offer that can be what is saved by a name.
func (o offer) fitting(saved string) []local {
	_, groups := declared(o.src, saved)
	if groups == nil || othersContent[path.Base(saved)] != "" {
		return nil
	}
	return newest(slices.DeleteFunc(slices.Clone(o.files), func(f local) bool { return !sameEdition(groups, f.groups) }))
}

// listed reports whether the files of an origin are in a catalogue.
func (o offer) listed() bool {
	switch o.from.(type) {
	case producer.At, producer.Opendatasoft, producer.DataFair, producer.WFS, producer.Overpass:
		return false
	}
	return true
}

// pick is the name of a file that the expression of an origin selects and the declaration reads: that of the file itself where it
// fits.
func (o offer) pick(expr string, f local) (string, error) {
	expr = o.place.Fill(expr, nil)
	selects, err := regexp.Compile(expr)
	if err != nil {
		return "", err
	}
	for _, name := range []string{publishedAs[o.src.Name], f.base(), path.Base(f.name), example(expr)} {
		if name != "" && selects.MatchString(name) && o.reads(name, f) {
			return name, nil
		}
	}
	return "", fmt.Errorf("no name of %s is known that %s selects and the declaration reads", f.name, expr)
}

// reads reports whether the declaration reads what is saved of a served name, as the edition that the file is.
func (o offer) reads(name string, f local) bool {
	year := cmp.Or(f.groups["year"], f.groups["scope"])
	_, groups := declared(o.src, "host/"+o.origin.Name(fetch.Remote{Served: name, Fields: map[string]string{"year": year}}, o.place))
	return groups != nil && sameEdition(groups, f.groups)
}

// entries are those of an offer; nil: its origin has no catalogue of files.
func (o offer) entries() ([]entry, error) {
	if !o.listed() {
		return nil, nil
	}
	groups := [][]local{newest(o.files)}
	if o.several() {
		groups = nil
		for _, f := range o.files {
			groups = append(groups, []local{f})
		}
	}
	var out []entry
	var last error
	for _, files := range groups {
		e, err := o.entry(files[0])
		if err != nil {
			last = err
			continue
		}
		e.files = files
		out = append(out, e)
	}
	if len(out) == 0 {
		return nil, last
	}
	return out, nil
}

// several reports whether an origin lists a file for each edition or place.
func (o offer) several() bool {
	switch from := o.from.(type) {
	case producer.S3, producer.Urbanisme:
		return true
	case producer.DataGouv:
		return from.Newest != 0
	}
	return false
}

// entry is how the producer lists a file.
func (o offer) entry(f local) (e entry, err error) {
	switch from := o.from.(type) {
	case producer.DataGouv:
		e.name, err = o.pick(from.File, f)
		e.id, e.title = cmp.Or(from.Resource, e.name), e.name
		e.address = "https://static.data.gouv.fr/resources/" + from.Dataset + "/" + e.name
	case producer.Attachment:
		e.name, err = o.pick(from.Title, f)
		e.title, e.id = strings.TrimSuffix(e.name, path.Ext(e.name)), identifier(e.name)
		e.address = "https://" + from.Host + "/api/explore/v2.1/catalog/datasets/" + url.PathEscape(from.Dataset) + "/attachments/" + e.id
	case producer.Melodi:
		e.id = strings.TrimSuffix(f.base(), path.Ext(f.base()))
		e.name, e.address = e.id+".zip", "https://api.insee.fr/melodi/file/"+from.Dataset+"/"+e.id
	case producer.S3:
		e.name, err = o.pick(from.File, f)
		e.id, e.address = from.Prefix+e.name, from.Bucket+"/"+(&url.URL{Path: from.Prefix + e.name}).EscapedPath()
	case producer.Geoplateforme:
		e.title = o.edition(from, f)
		e.name = e.title + ".7z"
		e.address = "https://data.geopf.fr/telechargement/download/" + from.Product + "/" + e.title + "/" + e.name
	case producer.Urbanisme:
		e.title, err = o.document(from, f)
		e.id, e.name = identifier(e.title), e.title+".zip"
		e.address = "https://www.geoportail-urbanisme.gouv.fr/api/document/" + e.id + "/download/" + e.name
	case producer.D4C:
		e.name = f.base()
		e.address = "https://" + from.Host + "/sites/default/files/dataset/" + e.name
	default:
		err = fmt.Errorf("what stands in for %T is not known", from)
	}
	if err == nil && e.name != "" && o.listed() && !o.reads(strings.TrimSuffix(e.name, ".zip"), f) && !o.reads(e.name, f) {
		err = fmt.Errorf("the declaration does not read %s", e.name)
	}
	return e, err
}

var notInIdentifiers = regexp.MustCompile(`[^a-z0-9]+`)

func identifier(name string) string {
	return notInIdentifiers.ReplaceAllString(strings.ToLower(name), "_")
}

// edition is the name of an edition of IGN: product, version, format, projection, zone and date.
func (o offer) edition(from producer.Geoplateforme, f local) string {
	if name := strings.TrimSuffix(f.base(), path.Ext(f.base())); regexp.MustCompile(o.place.Fill(from.Edition, nil)).MatchString(name) && o.reads(name+".7z", f) {
		return name
	}
	subject := strings.Trim(example(o.place.Fill(from.Edition, nil)), "_")
	zone := o.place.Fill("D{departement:3}", nil)
	if o.place.Departement == "" {
		zone = "FXX"
	}
	parts := []string{from.Product, strings.TrimPrefix(strings.TrimPrefix(subject, from.Product), "_"), from.Format, "LAMB93", zone}
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" || p == "FXX" && zone != p })
	return strings.Join(slices.Compact(parts), "_") + "_" + cmp.Or(f.groups["vintage"], (&content{parts: []part{{o.src, f}}}).date().Format(time.DateOnly))
}

// document is the name of a document of the Géoportail, if it is of the partition that is asked for.
func (o offer) document(from producer.Urbanisme, f local) (string, error) {
	name, partition := strings.TrimSuffix(f.base(), ".zip"), o.place.Fill(from.Partition, nil)
	if !inPartition(name, partition) {
		return "", fmt.Errorf("%s is of another partition than %s", name, partition)
	}
	return name, nil
}

// inPartition reports whether the name of a document has the parts of that of a partition: DU_30014 has 30014_PLU_20171013.
func inPartition(name, partition string) bool {
	has := strings.Split(name, "_")
	return !slices.ContainsFunc(strings.Split(partition, "_"), func(wanted string) bool {
		return wanted != "DU" && wanted != "SUP" && !slices.Contains(has, wanted)
	})
}
