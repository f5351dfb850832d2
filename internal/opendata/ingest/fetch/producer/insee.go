package producer

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
)

// Melodi is a dataset of INSEE's catalogue of data, as the CSV product that the catalogue names. It is a
// zip, which is served without an extension.
type Melodi struct{ Dataset string }

// String implements fetch.Resolver.
func (m Melodi) String() string { return "https://api.insee.fr/melodi/catalog/" + m.Dataset }

type melodiProduct struct {
	Address  string `json:"accessURL"`
	Format   string
	Language string
	Modified string
	Bytes    int64 `json:"byteSize"`
}

// dateKey is the year in the name, then the day of change.
func (p melodiProduct) dateKey() string { return dateIn(path.Base(p.Address)) + " " + p.Modified }

// Resolve implements fetch.Resolver. Of the products of several years it is that of the newest, with
// its year, if it is in the name, as a field.
func (m Melodi) Resolve(ctx context.Context, c *fetch.Client, _ fetch.Place) ([]fetch.Remote, error) {
	var set struct{ Product []melodiProduct }
	if err := c.JSON(ctx, m.String(), &set); err != nil {
		return nil, err
	}
	var names []string
	var found []melodiProduct
	for _, p := range set.Product {
		names = append(names, path.Base(p.Address))
		if p.Format == "CSV" && p.Address != "" && (p.Language == "" || strings.EqualFold(p.Language, "fr")) {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no CSV in French; it has %s", m, sampleNames(names))
	}
	newest := slices.MaxFunc(found, func(a, b melodiProduct) int {
		return cmp.Compare(a.dateKey(), b.dateKey())
	})
	name := path.Base(newest.Address)
	return []fetch.Remote{{Address: newest.Address, Served: name, Edition: newest.Modified, Bytes: newest.Bytes,
		Fields: yearOf(dateIn(name))}}, nil
}
