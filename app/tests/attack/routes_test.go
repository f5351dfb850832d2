package attack_test

import (
	"strings"
	"testing"

	"arpent/app/dev/fixture"
)

// parameterized are the addresses with a part that names something and is no object of an account, by their
// beginning, with what it is. Those below /account are tried with the objects of another account by
// TestOtherOrganisationsDoNotExist of portal, all of them.
var parameterized = map[string]string{
	"/api/v1/":         "open data",
	"/assets/:":        "a file of the pages",
	"/coverage/:":      "open data",
	"/confirm/:":       "the secret of a mailed link",
	"/reset/:":         "the secret of a mailed link",
	"/recover/:":       "the secret of a mailed link",
	"/notices/:":       "the secret of a mailed link",
	"/billing-mails/:": "the secret of a mailed link",
	"/verify/:":        "the secret of a mailed link, and the session has to be the one that asked for it",
	"/invitation/:":    "the secret of a mailed link, and the address may have to be that of the account",
	"/email/:":         "the secret of a mailed link, and the session has to be that of the account",
	"/auth/:":          "a provider",
	"/docs/":           "a page of the documentation, or a client",
	"/explore/":        "open data",
	"/social/":         "a picture of a public page",
	"/.well-known/":    "a document of the server",
	"/dev/mail":        "development, behind a token",
	"/admin/":          "an object that an operator may see, tried by the tests of the operators' pages",
	"/sitemap":         "a part of the list of public pages",
}

// No address names something without a decision on whose it is: a new
// one has to be added here, or below /account.
func testEveryAddressThatNamesSomething(t *testing.T, s *fixture.Service) {
	t.Helper()
	named := 0
	for _, r := range s.App.Fiber().GetRoutes(true) {
		if !strings.Contains(r.Path, ":") || strings.HasPrefix(r.Path, "/account/") {
			continue
		}
		named++
		known := false
		for beginning := range parameterized {
			known = known || strings.HasPrefix(r.Path, beginning)
		}
		if !known {
			t.Errorf("%s %s names something of whom?", r.Method, r.Path)
		}
	}
	robots := string(s.Get("/robots.txt").Body) // a link that was forwarded or published is not followed by search engines
	for path, what := range parameterized {
		if beginning := strings.TrimSuffix(path, ":"); strings.HasPrefix(what, "the secret of a mailed link") &&
			!strings.Contains(robots, "Disallow: "+beginning+"\n") {
			t.Errorf("search engines may follow %s", beginning)
		}
	}
	if named < 10 {
		t.Errorf("only %d addresses name something", named)
	}
}
