package producer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
)

// Urbanisme is the documents in force that the Géoportail de l'urbanisme lists for a query.
type Urbanisme struct {
	Query string // "partition=DU_{commune}", "documentType[]=SUP&grid={departement}"
	// Withheld: some authorities do not let their archives be downloaded, which are left out.
	Withheld bool
}

// UrbanismeLayer is a layer of all documents, from the weekly extraction of the Géoportail de l'urbanisme.
// Each extraction has other addresses.
type UrbanismeLayer struct{ Layer string } // "zone_urba"

const (
	urbanisme           = "https://www.geoportail-urbanisme.gouv.fr/api/document"
	urbanismeExtraction = "https://www.geoportail-urbanisme.gouv.fr/api/extraction/download-latest"
)

// String implements fetch.Resolver.
func (u Urbanisme) String() string { return urbanisme + "?" + u.Query }

// String implements fetch.Resolver.
func (l UrbanismeLayer) String() string { return urbanismeExtraction + " (" + l.Layer + ")" }

type urbanismeDocument struct {
	ID        string
	Name      string // of its archive
	Status    string
	Effective string `json:"effectiveStatus"`
}

var documentDay = regexp.MustCompile(`_[0-9]{8}`)

// nameWithoutDate is the name of a document without its date: those of one such name are its editions.
func (d urbanismeDocument) nameWithoutDate() string {
	return documentDay.ReplaceAllString(strings.ToUpper(d.Name), "")
}

// Resolve implements fetch.Resolver. Of each document it is the newest edition. It is fetch.ErrNothing for a
// place without documents: a commune has none, or that of its intercommunality.
func (u Urbanisme) Resolve(ctx context.Context, c *fetch.Client, p fetch.Place) ([]fetch.Remote, error) {
	query, err := url.ParseQuery(p.Fill(u.Query, nil))
	if err != nil {
		return nil, fmt.Errorf("the query %q: %w", u.Query, err)
	}
	var history []urbanismeDocument
	if err := c.JSON(ctx, urbanisme+"?"+query.Encode(), &history); err != nil && !fetch.IsGone(err) {
		return nil, err
	}
	newest := map[string]urbanismeDocument{}
	for _, d := range history {
		// not read for documents other than those of urbanism
		effective := d.Effective == "" || d.Effective == "EN_VIGUEUR"
		if d.Status != "document.production" || !effective || d.ID == "" || d.Name == "" {
			continue
		}
		if known, found := newest[d.nameWithoutDate()]; !found || dateIn(known.Name) < dateIn(d.Name) {
			newest[d.nameWithoutDate()] = d
		}
	}
	var out []fetch.Remote
	for _, d := range newest {
		address := fmt.Sprintf("%s/%s/download/%s.zip", urbanisme, url.PathEscape(d.ID), url.PathEscape(d.Name))
		r := fetch.Remote{Address: address, Served: d.Name + ".zip", Edition: d.ID + " " + d.Name,
			Fields: yearOf(dateIn(d.Name))}
		if u.Withheld {
			_, open, err := c.Exists(ctx, r.Address)
			var status *fetch.StatusError
			isRefused := errors.As(err, &status) && (status.Status == http.StatusForbidden ||
				status.Status == http.StatusUnauthorized)
			if err != nil && !isRefused {
				return nil, err
			}
			if !open {
				continue
			}
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		return nil, noFileError(u.Query, "%s lists no document in force that can be downloaded",
			p.Fill(u.String(), nil))
	}
	slices.SortFunc(out, func(a, b fetch.Remote) int { return cmp.Compare(a.Served, b.Served) })
	return out, nil
}

// Resolve implements fetch.Resolver.
func (l UrbanismeLayer) Resolve(ctx context.Context, c *fetch.Client, _ fetch.Place) ([]fetch.Remote, error) {
	all, err := readFeed(ctx, c, urbanismeExtraction)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range all.Entries {
		for _, link := range e.Links {
			if strings.HasSuffix(link.Address, "."+l.Layer+".gpkg") {
				r := link.toRemote(e)
				r.Served = l.Layer + ".gpkg"
				return []fetch.Remote{r}, nil
			}
			names = append(names, link.Address)
		}
	}
	return nil, fmt.Errorf("%s has no layer %s; it has %s", urbanismeExtraction, l.Layer, sampleNames(names))
}
