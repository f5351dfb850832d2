package contract_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"arpent/app/dev/fixture"
)

// Whatever a developer reads in the contract is what the service answers: status and error code of every kind
// of call, in the order of checks that the decisions give.
func testStatusAndCode(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("contract@example.org", "pro")
	s.UntilIndexed(key)
	tests := []struct {
		path   string
		status int
		code   string
	}{
		{"", 200, ""},
		{"/regions", 200, ""},
		{"/regions?include=geometry", 400, "invalid_parameter"},
		{"/regions/11", 200, ""},
		{"/regions/11?include=geometry,stats,departements", 200, ""},
		{"/regions/11?include=%20geometry%20,%20geometry", 200, ""},
		{"/regions/11?include=communes", 400, "invalid_parameter"},
		{"/regions/11?include=", 400, "invalid_parameter"},
		{"/regions/11?include=geometry,", 400, "invalid_parameter"},
		{"/regions/11?include=Geometry", 400, "invalid_parameter"},
		{"/regions/11?include=stats&include=stats", 400, "invalid_parameter"},
		{"/regions/11?unknown=1&unknown=2", 200, ""},
		{"/regions/99", 404, "not_found"},
		{"/regions/1111", 400, "invalid_parameter"},
		{"/regions/1A", 400, "invalid_parameter"},
		{"/departements", 200, ""},
		{"/departements?region=11", 200, ""},
		{"/departements?region=04", 200, ""},
		{"/departements?region=77", 404, "not_found"},
		{"/departements?region=x", 400, "invalid_parameter"},
		{"/departements?region=", 400, "invalid_parameter"},
		{"/departements?region=11&region=11", 400, "invalid_parameter"},
		{"/departements/2A", 200, ""},
		{"/departements/2a", 400, "invalid_parameter"},
		{"/departements/93?include=communes,geometry,stats", 200, ""},
		{"/departements/93?include=departements", 400, "invalid_parameter"},
		{"/departements/93?include=box", 400, "invalid_parameter"},
		{"/departements/974", 404, "not_found"},
		{"/departements/00", 404, "not_found"},
		{"/departements/9999", 400, "invalid_parameter"},
		{"/adresses", 400, "invalid_parameter"},
		{"/adresses?q=", 400, "invalid_parameter"},
		{"/adresses?q=%20%09", 400, "invalid_parameter"},
		{"/adresses?q=a%00b", 400, "invalid_parameter"},
		{"/adresses?q=%FF", 400, "invalid_parameter"},
		{"/adresses?q=" + strings.Repeat("%C3%A9", 201), 400, "invalid_parameter"},
		{"/adresses?q=" + strings.Repeat("%C3%A9", 200), 200, ""},
		{"/adresses?q=bondy", 200, ""},
		{"/adresses?q=bondy&q=bondy", 400, "invalid_parameter"},
		{"/adresses?q=bondy&include=geometry", 400, "invalid_parameter"},
		{"/adresses?q=bondy&limit=20", 200, ""},
		{"/adresses?q=bondy&limit=0", 400, "invalid_parameter"},
		{"/adresses?q=bondy&limit=21", 400, "invalid_parameter"},
		{"/adresses?q=bondy&limit=1.5", 400, "invalid_parameter"},
		{"/adresses?q=bondy&limit=%2B1", 400, "invalid_parameter"},
		{"/adresses?q=bondy&lat=48.9&lon=2.5", 200, ""},
		{"/adresses?q=bondy&lat=48.9", 400, "invalid_parameter"},
		{"/adresses?q=bondy&lat=91&lon=2", 400, "invalid_parameter"},
		{"/adresses?q=zzzzzzzzz", 200, ""},
		{"/communes", 400, "invalid_parameter"},
		{"/communes?departement=93", 200, ""},
		{"/communes?departement=974", 200, ""},
		{"/communes?departement=975", 404, "not_found"},
		{"/communes?departement=93&include=geometry", 400, "invalid_parameter"},
		{"/communes?departement=93&include=bbox", 400, "invalid_parameter"},
		{"/communes?departement=93&lat=48.95&lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=48.95", 400, "invalid_parameter"},
		{"/communes?lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=48.95&lon=2.55", 200, ""},
		{"/communes?lat=48.95&lon=2.55&include=geometry,stats", 200, ""},
		{"/communes?lat=48.95&lon=2.55&include=communes", 400, "invalid_parameter"},
		{"/communes?lat=0&lon=0", 404, "not_found"},
		{"/communes?lat=NaN&lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=Inf&lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=0x1p4&lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=1e400&lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=&lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=90.0000001&lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=48,95&lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=48.95&lat=48.95&lon=2.55", 400, "invalid_parameter"},
		{"/communes/93010", 200, ""},
		{"/communes/93010?include=geometry,stats", 200, ""},
		{"/communes/75101", 404, "not_found"},
		{"/communes/00000", 404, "not_found"},
		{"/communes/9301", 400, "invalid_parameter"},
		{"/communes/2a004", 400, "invalid_parameter"},
		{"/parcelles", 400, "invalid_parameter"},
		{"/parcelles?lat=48.9105&lon=2.5105", 200, ""},
		{"/parcelles?lat=48.9105&lon=2.5105&include=geometry", 200, ""},
		{"/parcelles?lat=48.9105&lon=2.5105&include=stats", 400, "invalid_parameter"},
		{"/parcelles?lat=48.99&lon=2.59", 404, "not_found"},
		{"/parcelles/930100000A0001", 200, ""},
		{"/parcelles/930100000A0001?include=geometry", 200, ""},
		{"/parcelles/930100000a0001", 400, "invalid_parameter"},
		{"/parcelles/930100000A001", 400, "invalid_parameter"},
		{"/parcelles/930100000A0777", 404, "not_found"},
		{"/parcelles/930100000A0009", 404, "not_found"},
		{"/parcelles/930100000A0001/enrichments", 200, ""},
		{"/parcelles/930100000A0777/enrichments", 404, "not_found"},
		{"/parcelles/930100000A0001/enrichments?include=geometry", 400, "invalid_parameter"},
		{"/nothing", 404, "not_found"},
		{"/Regions", 404, "not_found"},
		{"/communes/93010/x", 404, "not_found"},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			r := s.Get("/api/v1"+tt.path, "X-API-Key", key)
			if r.Status != tt.status {
				t.Fatalf("status %d, want %d: %s", r.Status, tt.status, r.Body)
			}
			if tt.code != "" && r.Code(t) != tt.code {
				t.Errorf("code %s, want %s", r.Code(t), tt.code)
			}
			checkHeaders(t, r, "pro")
			without := s.Get("/api/v1" + tt.path)
			if tt.path != "" && without.Status != 401 && without.Status != 429 {
				t.Errorf("without a key: status %d, want 401 before anything else", without.Status)
			}
			checkHeaders(t, without, "none")
		})
	}
}

// checkHeaders looks for what every response under /api/v1 carries.
func checkHeaders(t *testing.T, r fixture.Response, plan string) {
	t.Helper()
	for _, name := range []string{"X-RateLimit-Limit", "X-Quota-Limit", "X-Quota-Used", "X-Quota-Remaining", "X-Quota-Reset"} {
		if _, err := strconv.Atoi(r.Header.Get(name)); err != nil {
			t.Errorf("%s is %q, want an integer", name, r.Header.Get(name))
		}
	}
	if got := r.Header.Get("X-Plan"); got != plan {
		t.Errorf("X-Plan is %q, want %q", got, plan)
	}
	for _, name := range []string{"X-Request-Id", "RateLimit-Policy", "RateLimit", "Cache-Control", "Content-Type"} {
		if r.Header.Get(name) == "" && r.Status != http.StatusNotModified {
			t.Errorf("%s is missing", name)
		}
	}
	if r.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("the API must not be open to browsers of other sites")
	}
}
