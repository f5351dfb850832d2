package api

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/app/base/fault"
)

// No query and no path make reading them fail otherwise than with a fault of the caller's. What an operation gets was
// checked, and is what anybody else reads in that address; of a parameter given twice it gets neither.
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
			reached, err, values = op, r.check(), map[string]string{}
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
			readAlike(t, reached, query, values)
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
