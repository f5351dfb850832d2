package api

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/internal/fault"
)

// No query and no path make reading them fail otherwise than with a fault of the
// caller's. What an operation gets was checked, and is what anybody else reads in that
// address; of a parameter given twice it gets neither.
func FuzzQuery(f *testing.F) {
	operations, app := Operations(), fiber.New(fiber.Config{DisableStartupMessage: true})
	var (
		reached *Operation
		err     error
		values  map[string]string
	)
	for i := len(operations) - 1; i >= 0; i-- {
		op := &operations[i]
		app.Get(fiberPath(op.Path), func(c *fiber.Ctx) error {
			r := &Request{op: op}
			readArguments(c, op, &r.arguments)
			reached, err, values = op, r.validateArguments(loaded{}), map[string]string{}
			for _, p := range op.Params {
				if r.Given(p.Name) {
					values[p.Name] = r.Text(p.Name)
				}
			}
			return nil
		})
	}
	for _, query := range []string{"", "lat=48.95&lon=2.5", "lat=1&lat=2", "include=geometry,stats", "include=&include=", "l%61t=1&lon=2", "departement=93&api_key=x", "lat=1;lon=2", "region=11&departement=93", "q=12%20rue&limit=20",
		"limit=999999999999999999999", "lat=NaN&lon=1e400", "api_key=a&api_key=b", "%zz=%", "q=%00%ff&lat=0x1p3", ";&&=", "lat=+1_0&lon=-0"} {
		for i := range operations {
			f.Add(uint8(i), "93010", query)
		}
	}
	serve := app.Handler()
	f.Fuzz(func(t *testing.T, number uint8, code, query string) {
		op := &operations[int(number)%len(operations)]
		ctx := &fasthttp.RequestCtx{}
		before, after, _ := strings.Cut(op.Path, "{")
		if _, rest, inside := strings.Cut(after, "}"); inside {
			before += code + rest
		}
		ctx.Request.Header.SetMethod(http.MethodGet)
		ctx.Request.SetRequestURI(Root + before + "?" + query)
		reached, err = nil, nil
		serve(ctx)
		switch {
		case reached == nil: // no path of ours
		case err != nil:
			if status := fault.From(err).Code.Status(); status != http.StatusBadRequest {
				t.Errorf("%s, %q, %q: %d %v", reached.Name, code, query, status, err)
			}
		default:
			for _, p := range reached.Params {
				if value, given := values[p.Name]; given && !p.Valid(value) {
					t.Errorf("%s, %q, %q: %s is %q", reached.Name, code, query, p.Name, value)
				}
			}
			if !strings.ContainsAny(code, "?#") { // the query would begin there
				readAlike(t, reached, query, values)
			}
		}
	})
}

// A list of what to include, or of fields, is read as the names between its commas, each of which the
// operation knows, or refused with the first one that it does not.
func FuzzInclude(f *testing.F) {
	operations := Operations()
	for i := range operations {
		for _, text := range []string{"", "geometry", "geometry,stats", " stats , geometry ", "stats,stats", ",", "population,,", "STATS", "geometry;stats", "stats\x00", "départements", "population,revenus", "banAddresses , dvf"} {
			f.Add(uint8(i), text)
		}
	}
	f.Fuzz(func(t *testing.T, number uint8, text string) {
		op := &operations[int(number)%len(operations)]
		names := strings.Split(text, ",")
		for i := range names {
			names[i] = strings.TrimSpace(names[i])
		}
		r := &Request{op: op}
		want, unknown := Include(0), false
		for _, name := range names {
			at := slices.IndexFunc(op.Include, func(v IncludeValue) bool { return v.Name == name })
			if unknown = unknown || at < 0; !unknown {
				want |= op.Include[at].Bit
			}
		}
		switch err := r.readInclude(text); {
		case unknown && fault.From(err).Code != fault.InvalidParameter, !unknown && err != nil:
			t.Errorf("%s, include=%q: %v", op.Name, text, err)
		case err == nil && r.Include != want:
			t.Errorf("%s, include=%q is %b, want %b", op.Name, text, r.Include, want)
		}
		for i := range op.Params {
			p := &op.Params[i]
			if p.Values == nil {
				continue
			}
			listed, err := p.parseList(text)
			unknown := slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(p.Values(), name) })
			if unknown != (err != nil) || err == nil && !slices.Equal(listed, names) || err != nil && fault.From(err).Code != fault.InvalidParameter {
				t.Errorf("%s, %s=%q is %q, %v", op.Name, p.Name, text, listed, err)
			}
		}
	})
}

// What somebody writes into X-Forwarded-For never counts as the address of the client where a proxy that is
// trusted has added its own to it, nor anything at all where the peer is not trusted.
func FuzzClientAddress(f *testing.F) {
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	f.Add("203.0.113.7", "198.51.100.9")
	f.Add("", "")
	f.Add("::1, 10.0.0.1,,", " [2001:db8::1]:443 ")
	f.Add("fe80::1%eth0", "::ffff:203.0.113.7")
	f.Add(strings.Repeat("1.1.1.1,", 500), "unknown")
	f.Fuzz(func(t *testing.T, first, second string) {
		ctx := &fasthttp.RequestCtx{}
		ctx.SetRemoteAddr(&net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 1})
		ctx.Request.Header.Add("X-Forwarded-For", first)
		ctx.Request.Header.Add("X-Forwarded-For", second+", 203.0.113.99")
		c := app.AcquireCtx(ctx)
		defer app.ReleaseCtx(c)
		trusting := &Server{proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
		if got := trusting.ClientAddress(c); got != netip.MustParseAddr("203.0.113.99") {
			t.Errorf("%q, %q: %s", first, second, got)
		}
		if got := (&Server{}).ClientAddress(c); got != netip.MustParseAddr("10.0.0.1") {
			t.Errorf("%q, %q: %s without a proxy", first, second, got)
		}
		ctx.Request.Header.Del("X-Forwarded-For")
		ctx.Request.Header.Add("X-Forwarded-For", first)
		ctx.Request.Header.Add("X-Forwarded-For", second)
		if got := trusting.ClientAddress(c); !got.IsValid() {
			t.Errorf("%q, %q: there is no address", first, second)
		}
	})
}

// readAlike compares with what net/url reads in a query, where that takes it.
func readAlike(t *testing.T, op *Operation, query string, got map[string]string) {
	want, err := url.ParseQuery(query)
	if u, wrong := url.Parse("/?" + query); wrong != nil || err != nil || u.Fragment != "" || u.RawQuery != query {
		return
	}
	for _, p := range op.Params {
		if value, given := got[p.Name]; p.In == "query" && (len(want[p.Name]) > 1 || given != want.Has(p.Name) || value != want.Get(p.Name)) {
			t.Errorf("%s, %q: %s is %q, to net/url %q", op.Name, query, p.Name, value, want[p.Name])
		}
	}
}
