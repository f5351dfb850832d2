package producer

import (
	"arpent/internal/opendata/ingest/fetch"
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
)

// D4C is the file that a dataset of a D4C portal names as its newest.
type D4C struct {
	Host    string // "data.anfr.fr"
	Dataset string
}

// String implements fetch.Resolver.
func (d D4C) String() string { return d.catalogueURL() + " (" + d.Dataset + ")" }

func (d D4C) catalogueURL() string {
	return "https://" + d.Host + "/d4c/api/datasets/2.0/search/?rows=100"
}

type d4cSet struct {
	Name   string
	Extras []struct {
		Key   string
		Value any
	}
}

// Resolve implements fetch.Resolver. The field year is that of the date in the name.
func (d D4C) Resolve(ctx context.Context, c *fetch.Client, _ fetch.Place) ([]fetch.Remote, error) {
	var answer struct{ Result struct{ Results []d4cSet } }
	if err := c.JSON(ctx, d.catalogueURL(), &answer); err != nil {
		return nil, err
	}
	sets := answer.Result.Results
	i := slices.IndexFunc(sets, func(s d4cSet) bool { return s.Name == d.Dataset })
	if i < 0 {
		var names []string
		for _, s := range sets {
			names = append(names, s.Name)
		}
		return nil, fmt.Errorf("%s has no dataset %s; it has %s", d.catalogueURL(), d.Dataset, sampleNames(names))
	}
	for _, extra := range sets[i].Extras {
		file, ok := extra.Value.(string)
		if extra.Key != "file_csv" || !ok || file == "" {
			continue
		}
		u, err := url.Parse(file)
		if err != nil {
			return nil, fmt.Errorf("%s: the address of its file: %w", d, err)
		}
		u = (&url.URL{Scheme: "https", Host: d.Host, Path: "/"}).ResolveReference(u)
		name := path.Base(u.Path)
		return []fetch.Remote{{Address: u.String(), Served: name, Edition: dateIn(name),
			Fields: yearOf(dateIn(name))}}, nil
	}
	return nil, fmt.Errorf("%s names no file (file_csv)", d)
}
