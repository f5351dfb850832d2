package producer

import (
	"arpent/internal/opendata/ingest/fetch"
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Geoplateforme is the newest edition of a product of IGN, in as many volumes as it has.
type Geoplateforme struct {
	Product string // "BDTOPO"
	Format  string // "SHP", "GPKG", "ASC"
	Edition string // regular expression on the name of the edition
}

const (
	geoplateforme = "https://data.geopf.fr/telechargement/resource/"
	feedLimit     = 50 // entries a page, the most that is allowed
	feedPages     = 200
	// triedEditions is how many are looked into: the newest may be announced before its files are there.
	triedEditions = 3
)

// atomFeed is a page of a listing. Attributes and elements of IGN's own namespace are gpf_dl:….
type atomFeed struct {
	XMLName xml.Name    `xml:"feed"`
	Pages   int         `xml:"pagecount,attr"`
	Entries []atomEntry `xml:"entry"`
}

type atomEntry struct {
	Title   string     `xml:"title"`
	Content string     `xml:"content"` // of a file: its MD5
	Date    string     `xml:"editionDate"`
	Updated string     `xml:"updated"`
	Links   []atomLink `xml:"link"`
}

type atomLink struct {
	Address string `xml:"href,attr"`
	Bytes   int64  `xml:"length,attr"`
}

// toRemote is the file of a link, with the MD5 that its entry says.
func (l atomLink) toRemote(e atomEntry) fetch.Remote {
	r := fetch.Remote{Address: l.Address, Served: path.Base(l.Address), Edition: e.editionDate(), Bytes: l.Bytes,
		Fields: yearOf(e.editionDate())}
	if sum := strings.ToLower(strings.TrimSpace(e.Content)); md5Hex.MatchString(sum) {
		r.Sum = fetch.Checksum{Kind: "md5", Hex: sum}
	}
	return r
}

// String implements fetch.Resolver.
func (g Geoplateforme) String() string { return geoplateforme + g.Product }

// Resolve implements fetch.Resolver. For a département the editions of its zone are
// taken; the field year is that of the edition.
func (g Geoplateforme) Resolve(ctx context.Context, c *fetch.Client, p fetch.Place) ([]fetch.Remote, error) {
	edition, err := compileExpression(p, g.Edition)
	if err != nil {
		return nil, err
	}
	query, marks := url.Values{"format": {g.Format}}, []string{"_" + g.Format + "_"}
	if p.Departement != "" {
		zone := p.Fill("D{departement:3}", nil)
		query.Set("zone", zone)
		marks = append(marks, "_"+zone+"_")
	}
	all, err := readFeedPages(ctx, c, g.String(), query)
	if err != nil {
		return nil, err
	}
	var titles []string
	all = slices.DeleteFunc(all, func(e atomEntry) bool {
		titles = append(titles, e.Title)
		return !edition.MatchString(e.Title) || slices.ContainsFunc(marks,
			func(m string) bool { return !strings.Contains(e.Title, m) })
	})
	slices.SortFunc(all, func(a, b atomEntry) int {
		return cmp.Or(cmp.Compare(b.editionDate(), a.editionDate()), cmp.Compare(b.Title, a.Title))
	})
	for _, e := range all[:min(len(all), triedEditions)] {
		files, err := g.listVolumes(ctx, c, e)
		if err != nil || len(files) > 0 {
			return files, err
		}
	}
	missing := fmt.Errorf("%s has no edition %s with files for %s; it has %s", g, g.Edition,
		cmp.Or(p.Departement, "France"), sampleNames(titles))
	if p.Departement != "" {
		return nil, wrapErrNothing(missing)
	}
	return nil, missing
}

func (e atomEntry) editionDate() string { return cmp.Or(e.Date, dateIn(e.Title), dateIn(e.Updated)) }

// readFeedPages reads all pages of a listing.
func readFeedPages(
	ctx context.Context, c *fetch.Client, address string, query url.Values) (all []atomEntry, err error) {
	query.Set("limit", strconv.Itoa(feedLimit))
	for page, pages := 1, 1; page <= min(pages, feedPages); page++ {
		query.Set("page", strconv.Itoa(page))
		f, err := readFeed(ctx, c, address+"?"+query.Encode())
		if err != nil {
			return nil, err
		}
		all, pages = append(all, f.Entries...), f.Pages
	}
	return all, nil
}

func readFeed(ctx context.Context, c *fetch.Client, address string) (f atomFeed, err error) {
	b, err := c.Bytes(ctx, address)
	if err != nil {
		return f, err
	}
	if err := xml.Unmarshal(b, &f); err != nil {
		return f, fmt.Errorf("read %s: %w: %s", address, err, fetch.Describe(b))
	}
	return f, nil
}

var (
	volume = regexp.MustCompile(`\.7z(?:\.(\d{3}))?$`)
	md5Hex = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

// listVolumes are the volumes of an edition; none while they are not all there.
func (g Geoplateforme) listVolumes(
	ctx context.Context, c *fetch.Client, e atomEntry) ([]fetch.Remote, error) {
	entries, err := readFeedPages(ctx, c, g.String()+"/"+url.PathEscape(e.Title), url.Values{})
	if fetch.IsGone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []fetch.Remote
	for _, file := range entries {
		for _, link := range file.Links {
			if !volume.MatchString(link.Address) {
				continue
			}
			r := link.toRemote(file)
			r.Edition, r.Fields = e.editionDate(), yearOf(e.editionDate())
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b fetch.Remote) int { return cmp.Compare(a.Address, b.Address) })
	for i, r := range out {
		if number := volume.FindStringSubmatch(r.Address)[1]; number != "" && number != fmt.Sprintf("%03d", i+1) {
			return nil, nil
		}
	}
	return out, nil
}
