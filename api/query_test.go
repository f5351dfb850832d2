package api_test

import (
	"net/url"
	"testing"

	"arpent/api"
)

// A parameter is what it is to everybody else who reads the address, and is never one of two.
func FuzzReadQuery(f *testing.F) {
	operations := api.Operations()
	for i := range operations {
		for _, query := range []string{"lat=48.9&lon=2.5", "lat=1&lat=2", "include=geometry,stats", "include=stats&include=geometry", "q=12+rue%20de&limit=3",
			"departement=93&api_key=x", "api_key=x&api_key=y", "l%61t=1", "lat=%zz", "&&=&lat", "region=\x00", "lat=1;lon=2"} {
			f.Add(uint8(i), query)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, query string) {
		op := &operations[int(which)%len(operations)]
		u, err := url.Parse("/?" + query)
		if err != nil || u.Fragment != "" || u.RawQuery != query {
			return
		}
		want, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		got, _, err := api.ReadQuery(op, query)
		for _, p := range op.Params {
			if p.In != "query" {
				continue
			}
			values := want[p.Name]
			if value, given := got[p.Name]; err == nil && (given != (len(values) > 0) || given && (len(values) != 1 || value != values[0])) {
				t.Fatalf("%s, %q: %s is %q, to net/url %q", op.Name, query, p.Name, value, values)
			}
			if err == nil && len(values) > 1 {
				t.Fatalf("%s, %q: %s is there twice and accepted", op.Name, query, p.Name)
			}
		}
	})
}
