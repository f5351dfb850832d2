package producer

import (
	"bufio"
	"bytes"
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
	features := newCollection(w)
	add := (&csvPages{out: w}).addPage
	if d.Format == "geojson" {
		add = features.addPage
	}
	have := int64(0)
	for address := first; address != ""; {
		next, n, err := dataFairJoin(ctx, c, address, add)
		if err != nil {
			return fmt.Errorf("read %s after %d lines: %w", address, have, err)
		}
		if have += n; n == 0 { // after a last page that was full
			break
		}
		if next == "" && isRound(have) {
			if next, err = incrementPage(address); err != nil {
				return err
			}
			more, err := dataFairRows(ctx, c, next)
			if err != nil || more == 0 { // it is no page that the portal knows, or one without lines
				warnRound(ctx, first, "lines", have)
				break
			}
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

// incrementPage is the address of the page behind one that names no further page.
func incrementPage(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	query := u.Query()
	page, _ := strconv.Atoi(query.Get("page")) // none: the first
	query.Set("page", strconv.Itoa(max(page, 1)+1))
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// dataFairRows is how many lines a page has.
func dataFairRows(ctx context.Context, c *fetch.Client, address string) (int64, error) {
	_, n, err := dataFairJoin(ctx, c, address, func(r io.Reader) (int64, error) {
		b, err := io.ReadAll(io.LimitReader(r, headBytes))
		lines := bytes.Count(bytes.TrimSpace(b), []byte("\n")) // the header is no line of the data
		if bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
			lines = bytes.Count(b, []byte(`"Feature"`))
		}
		return int64(lines), err
	})
	return n, err
}

// dataFairJoin adds a page, and returns the address of the next one and the number of its lines.
func dataFairJoin(ctx context.Context, c *fetch.Client, address string, add func(io.Reader) (int64,
	error)) (next string, n int64, err error) {
	resp, err := c.Get(ctx, address, nil)
	if err != nil {
		return "", 0, err
	}
	defer resp.Body.Close()
	body, err := openDataBody(resp)
	if err != nil {
		return "", 0, err
	}
	if n, err = add(body); err != nil {
		return "", n, err
	}
	return nextPage(resp), n, nil
}

var nextLink = regexp.MustCompile(`<([^>]*)>[^<]*;\s*rel="?next"?`)

// nextPage is the address in the header Link of relation next; empty: it is the last page.
func nextPage(resp *http.Response) string {
	m := nextLink.FindStringSubmatch(strings.Join(resp.Header.Values("Link"), ", "))
	if m == nil {
		return ""
	}
	next, err := resp.Request.URL.Parse(m[1])
	if err != nil {
		return ""
	}
	return next.String()
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
