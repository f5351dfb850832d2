// Package producer finds the files of producers: a small type for each way in which they publish.
package producer

import (
	"arpent/internal/opendata/ingest/fetch"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// At is a file at an address that is known, with placeholders as in Origin.As. {year} is the
// newest year that there is a file of, {yy} its last two digits, and {quarter} the newest
// quarter of it. Each is a field of the Remote.
type At struct {
	Address string
	Years   int // how many years to take; 0: the newest
}

// String implements fetch.Resolver.
func (a At) String() string { return a.Address }

// Resolve implements fetch.Resolver. An address without a year or quarter is not asked; with one, the server
// is asked from this year on back. It is fetch.ErrNothing if there is no file of a place in any of the years.
func (a At) Resolve(ctx context.Context, c *fetch.Client, p fetch.Place) ([]fetch.Remote, error) {
	if !a.hasField("year") && !a.hasField("yy") && !a.hasField("quarter") {
		return []fetch.Remote{{Address: p.Fill(a.Address, nil)}}, nil
	}
	years := recentYears(c.Now(), a.Years)
	var out []fetch.Remote
	for _, year := range years {
		r, found, err := a.resolveYear(ctx, c, p, year)
		if err != nil {
			return nil, err
		}
		if found {
			out = append(out, r)
		}
		if len(out) == max(a.Years, 1) {
			break
		}
	}
	if len(out) == 0 {
		return nil, noFileError(a.Address, "%s has no file of the years from %d to %d", p.Fill(a.Address, nil),
			years[len(years)-1], years[0])
	}
	return out, nil
}

func (a At) hasField(field string) bool { return strings.Contains(a.Address, "{"+field+"}") }

// resolveYear is the file of a year, of its newest quarter if the address has one.
func (a At) resolveYear(ctx context.Context, c *fetch.Client, p fetch.Place, year int) (r fetch.Remote,
	found bool, err error) {
	for _, quarter := range a.startedQuarters(c.Now(), year) {
		fields := map[string]string{"year": strconv.Itoa(year), "yy": fmt.Sprintf("%02d", year%100)}
		if quarter != 0 {
			fields["quarter"] = strconv.Itoa(quarter)
		}
		r = fetch.Remote{Address: p.Fill(a.Address, fields), Fields: fields}
		if r.Bytes, found, err = c.Exists(ctx, r.Address); found || err != nil {
			return r, found, err
		}
	}
	return fetch.Remote{}, false, nil
}

// startedQuarters are those of a year that have begun, the newest first; 0 where the address has none.
func (a At) startedQuarters(now time.Time, year int) []int {
	if !a.hasField("quarter") {
		return []int{0}
	}
	all := []int{4, 3, 2, 1}
	if year == now.Year() {
		return all[3-(int(now.Month())-1)/3:]
	}
	return all
}
