package producer

import (
	"arpent/api/ingest/fetch"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// InseePage is a file on a page of insee.fr whose number stays while the name of the file moves on.
type InseePage struct {
	Page int
	File string // regular expression on the name of the file; the newest by the year in it is taken
}

// Melodi is a dataset of INSEE's catalogue of data, as the CSV product that the catalogue names. It is a zip, which is served
// without an extension.
type Melodi struct{ Dataset string }

// String implements fetch.Resolver.
func (i InseePage) String() string {
	return fmt.Sprintf("https://www.insee.fr/fr/statistiques/%d", i.Page)
}

// String implements fetch.Resolver.
func (m Melodi) String() string { return "https://api.insee.fr/melodi/catalog/" + m.Dataset }

// Resolve implements fetch.Resolver. The field year is that of the name.
func (i InseePage) Resolve(ctx context.Context, c *fetch.Client, p fetch.Place) ([]fetch.Remote, error) {
	file, err := expression(p, i.File)
	if err != nil {
		return nil, err
	}
	page, err := c.Bytes(ctx, i.String())
	if err != nil {
		return nil, err
	}
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(page))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", i, err)
	}
	base, err := url.Parse(i.String())
	if err != nil {
		return nil, err
	}
	var names []string
	newest, found := fetch.Remote{}, false
	for _, a := range doc.Find("a[href]").EachIter() {
		link, err := base.Parse(a.AttrOr("href", ""))
		if err != nil || !strings.Contains(link.Path, "/statistiques/fichier/") {
			continue
		}
		name := path.Base(link.Path)
		names = append(names, name)
		if file.MatchString(name) && (!found || dateIn(name) > newest.Edition) {
			newest, found = fetch.Remote{Address: link.String(), Served: name, Edition: dateIn(name), Fields: yearOf(dateIn(name))}, true
		}
	}
	if !found {
		return nil, noFile(i.File, "%s has no file %s; it has %s", i, i.File, sample(names))
	}
	return []fetch.Remote{newest}, nil
}

type melodiProduct struct {
	Address  string `json:"accessURL"`
	Format   string
	Language string
	Modified string
	Bytes    int64 `json:"byteSize"`
}

// date is the year in the name, then the day of change.
func (p melodiProduct) date() string { return dateIn(path.Base(p.Address)) + " " + p.Modified }

// Resolve implements fetch.Resolver. Of the products of several years it is that of the newest, with its year, if it is in the name,
// as a field.
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
		return nil, fmt.Errorf("%s has no CSV in French; it has %s", m, sample(names))
	}
	newest := slices.MaxFunc(found, func(a, b melodiProduct) int { return cmp.Compare(a.date(), b.date()) })
	name := path.Base(newest.Address)
	return []fetch.Remote{{Address: newest.Address, Served: name, Edition: newest.Modified, Bytes: newest.Bytes, Fields: yearOf(dateIn(name))}}, nil
}
