package producer

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
)

// DataFair is the lines of a dataset of a data-fair portal, page after page.
type DataFair struct {
	Host    string // "data.ademe.fr"
	Dataset string
	Select  string // columns, separated by commas
	Filter  string // "code_departement_ban_eq={departement}"; may be empty
	Format  string // "csv", "geojson"
}

const dataFairPage = 10_000 // the most that a portal gives

// String implements fetch.Resolver.
func (d DataFair) String() string { return "https://" + d.Host + "/datasets/" + d.Dataset }

// Resolve implements fetch.Resolver. The file has no size in advance.
func (d DataFair) Resolve(ctx context.Context, c *fetch.Client, p fetch.Place) ([]fetch.Remote, error) {
	var set struct {
		Updated string `json:"dataUpdatedAt"`
	}
	base := "https://" + d.Host + "/data-fair/api/v1/datasets/" + url.PathEscape(d.Dataset)
	if err := c.JSON(ctx, base, &set); err != nil {
		return nil, err
	}
	query, err := url.ParseQuery(p.Fill(d.Filter, nil))
	if err != nil {
		return nil, fmt.Errorf("the filter %q: %w", d.Filter, err)
	}
	query.Set("size", "0")
	count := base + "/lines?" + query.Encode()
	total, err := dataFairTotal(ctx, c, count)
	if err != nil {
		return nil, err
	}
	if total == 0 {
		return nil, noFileError(d.Filter, "%s has no lines where %s", d, p.Fill(d.Filter, nil))
	}
	query.Set("size", strconv.Itoa(dataFairPage))
	query.Set("format", d.Format)
	if d.Select != "" {
		query.Set("select", d.Select)
	}
	first := base + "/lines?" + query.Encode()
	return []fetch.Remote{{
		Address: first, Served: d.Dataset + "." + d.Format, Edition: set.Updated,
		Write: func(ctx context.Context, c *fetch.Client, w io.Writer) error {
			return d.writePages(ctx, c, w, count, first)
		},
	}}, nil
}

// dataFairTotal is how many lines there are; -1 where the portal does not say.
func dataFairTotal(ctx context.Context, c *fetch.Client, address string) (int64, error) {
	answer := struct{ Total int64 }{Total: -1}
	err := c.JSON(ctx, address, &answer)
	return answer.Total, err
}

// writePages joins the pages. A portal that stops giving pages shows in the number of lines.
func (d DataFair) writePages(ctx context.Context, c *fetch.Client, w io.Writer, count, first string) error {
	want, err := dataFairTotal(ctx, c, count)
	if err != nil {
		return err
	}
	features, table, have, isBehind := newCollection(w), csvPages{out: w}, int64(0), false
	for address := first; address != ""; {
		var n int64
		header, err := readData(ctx, c, address, func(page io.Reader) (err error) {
			if d.Format == "geojson" {
				n, _, err = features.addPage(page)
			} else {
				n, err = table.addPage(page)
			}
			return err
		})
		if isBehind && fetch.IsGone(err) { // the portal knows no page there
			break
		}
		if err != nil {
			return fmt.Errorf("read %s after %d lines: %w", address, have, err)
		}
		if have += n; n == 0 { // after a last page that was full
			break
		}
		next := nextPage(address, header)
		// A round number of lines may be the most that the portal counts to.
		if isBehind = next == "" && have%roundCount == 0; isBehind {
			next = incrementPage(address)
		}
		address = next
	}
	if have < want {
		return incompleteError(first, "lines", have, want)
	}
	if d.Format == "geojson" {
		return features.close()
	}
	return nil
}

var nextLink = regexp.MustCompile(`<([^>]*)>[^<]*;\s*rel="?next"?`)

// nextPage is the address in the header Link of relation next; empty: it is the last page.
func nextPage(address string, header http.Header) string {
	m := nextLink.FindStringSubmatch(strings.Join(header.Values("Link"), ", "))
	from, err := url.Parse(address)
	if m == nil || err != nil {
		return ""
	}
	next, err := from.Parse(m[1])
	if err != nil {
		return ""
	}
	return next.String()
}

// incrementPage is the address of the page behind one that names no further page; empty: none can be made.
func incrementPage(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	query := u.Query()
	page, _ := strconv.Atoi(query.Get("page")) // none: the first
	query.Set("page", strconv.Itoa(max(page, 1)+1))
	u.RawQuery = query.Encode()
	return u.String()
}

// csvPages joins pages that each begin with the header line, and with a byte-order mark.
type csvPages struct {
	out    io.Writer
	header string
	last   byte // that was written
}

// Write implements io.Writer.
func (p *csvPages) Write(b []byte) (int, error) {
	if len(b) > 0 {
		p.last = b[len(b)-1]
	}
	return p.out.Write(b)
}

// addPage adds a page and returns how many records it has, without the header.
func (p *csvPages) addPage(r io.Reader) (int64, error) {
	in := bufio.NewReader(r)
	header, err := in.ReadString('\n')
	if err != nil && err != io.EOF {
		return 0, err
	}
	header = strings.TrimRight(strings.TrimPrefix(header, "\uFEFF"), "\r\n")
	between := ""
	switch {
	case p.header == "":
		p.header, between = header, header+"\n"
	case header != p.header:
		return 0, fmt.Errorf("a page has the columns %q in place of %q", header, p.header)
	case p.last != '\n':
		between = "\n"
	}
	if _, err := io.WriteString(p, between); err != nil {
		return 0, err
	}
	return countRows(p, in, ',')
}
