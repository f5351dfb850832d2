package portal_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"arpent/api"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/auth/member"
	"arpent/internal/config"
	"arpent/web"
	"arpent/web/reference"
)

const communePage = reference.Path + "/get_commune"

// shownHeader is a header of the API's answer, as a page with the console shows it.
func shownHeader(p *testkit.Page, name string) (value string) {
	names := p.Find("#console-answer dt")
	for i := range names.Length() {
		if names.Eq(i).Text() == name {
			value = p.Find("#console-answer dd").Eq(i).Text()
		}
	}
	return value
}

// usedOf is what the account has used today, once everything is written.
func usedOf(s *fixture.Site, email string) int {
	return testkit.Count(s.T, s.Pool, `SELECT coalesce(sum(used), 0) FROM account.quota_day JOIN account.account a ON a.id = account_id WHERE a.email = $1`, email)
}

// A visitor who is signed in makes calls with the console of every operation, and each counts as a
// request with a key does, no more and no less: the headers and the usage say the same.
// No key can be found in it.
func TestConsoleCallsAndCounts(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	b := s.SignUp("jeanne@exemple.fr")
	s.Exec(`UPDATE account.account SET per_minute = 1000, enrichments_per_minute = 1000`)
	seen := ""
	for i, op := range api.Operations() {
		path := reference.Path + "/" + op.Name
		page := b.Get(path+"?lang=en").Want(http.StatusOK, "Try it", "This server makes the call for your account")
		if cache := page.Header.Get("Cache-Control"); cache != "private, no-cache" {
			t.Errorf("%s: the page may be kept: %s", op.Name, cache)
		}
		for _, p := range op.Params {
			if page.Find(`form[action^="`+path+`"] [name="arg-`+p.Name+`"]`).Length() == 0 {
				t.Errorf("%s: no field for %s", op.Name, p.Name)
			}
		}
		if n := page.Find(`form[action^="` + path + `"] input[type=checkbox]`).Length(); n != len(op.Include) {
			t.Errorf("%s: %d boxes for %d values of include", op.Name, n, len(op.Include))
		}
		answer := b.Post(path, formOf(page, path))
		if answer.Status != http.StatusOK || answer.Find("#console-answer .chip").Length() != 1 {
			t.Fatalf("%s: %d\n%.800s", op.Name, answer.Status, answer.Text("main"))
		}
		if got := answer.Text("#console-answer .endpoint"); !strings.Contains(got, api.Root+strings.SplitN(op.Example, "?", 2)[0]) {
			t.Errorf("%s: the call is %s", op.Name, got)
		}
		if used, want := shownHeader(answer, "X-Quota-Used"), i+1; used != strconv.Itoa(want) && !strings.Contains(answer.Text("#console-answer .chip"), "503") {
			t.Errorf("%s: %s used, want %d (%s)", op.Name, used, want, answer.Text("#console-answer .console-status"))
		}
		if answer.Header.Get("Cache-Control") != "no-store" || strings.Contains(answer.Header.Get("Set-Cookie"), web.SessionCookie) {
			t.Errorf("%s: headers %v", op.Name, answer.Header)
		}
		seen += page.Body + answer.Body + fmt.Sprint(page.Header, answer.Header, answer.Path)
	}
	if text := keyText.FindString(seen); text != "" || strings.Contains(seen, b.Cookie(web.SessionCookie)) {
		t.Errorf("a page holds a secret: %q", text)
	}
	counted := func() int {
		return testkit.Count(t, s.Pool, `SELECT coalesce(sum(counted), 0) FROM account.usage u JOIN account.api_key k ON k.id = u.key_id WHERE k.kind = 'console'`)
	}
	s.Until(func() bool { return counted() > len(api.Operations())-2 && counted() == usedOf(s, "jeanne@exemple.fr") })
	b.Get("/account/usage").Want(http.StatusOK, "Console")
	if p := b.Get("/account/keys"); strings.Contains(p.Text("main"), "Console") {
		t.Error("the console is in the list of keys")
	}
	if n := testkit.Count(t, s.Pool, `SELECT count(*) FROM account.api_key WHERE revoked_at IS NULL`); n != 0 {
		t.Errorf("%d keys are live", n)
	}
	if log := measured.ReplaceAllString(s.Log.String(), ""); keyText.MatchString(log) || strings.Contains(log, "93010") || strings.Contains(log, b.Cookie(web.SessionCookie)) {
		t.Errorf("the log holds what was asked:\n%s", log)
	}
}

// measured are the figures of the log, any of which may happen to have the digits of a code in it.
var measured = regexp.MustCompile(`"(request_id|time|bytes|duration_us)":[^,}]+`)

// formOf is the console of a page as it is filled.
func formOf(p *testkit.Page, path string) url.Values {
	for _, action := range []string{path + "?lang=en#console", path + "#console"} {
		if form := p.Form(action); form != nil {
			return form
		}
	}
	return url.Values{}
}

// What is wrong with a call is said as the API says it, and an account that has used
// its limits makes no more calls here either.
func TestConsoleShowsErrorsAndLimits(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	b := s.SignUp("jeanne@exemple.fr")
	s.Exec(`UPDATE account.account SET per_minute = 4`)
	send := func(values ...string) *testkit.Page {
		form := url.Values{reference.FieldMember: {"yes"}}
		for i := 0; i < len(values); i += 2 {
			form.Add(reference.Argument+values[i], values[i+1])
		}
		return b.Post(communePage, form)
	}
	for _, c := range []struct {
		values       []string
		status, want string
	}{
		{[]string{"code", "<b>"}, "400 Bad Request", `code is \"\u003cb\u003e\"; expected a commune code`},
		{[]string{"code", "93010", "include", "stats", "include", "geometry"}, "200 OK", `"geometry" : {`},
		{[]string{"code", strings.Repeat("9", 9<<10)}, "413", "longer than the 8 KiB"},
		{[]string{"code", ""}, "400 Bad Request", `code is \"\"; expected`},
		{[]string{"code", "93010"}, "429 Too Many Requests", "More than 4 requests within 60 seconds"},
	} {
		p := send(c.values...)
		if got := p.Text("#console-answer .chip"); p.Status != http.StatusOK || !strings.HasPrefix(got, c.status) {
			t.Errorf("%.40q: %d, %s", c.values, p.Status, got)
		}
		if got := p.Text("#console-body"); !strings.Contains(got, c.want) {
			t.Errorf("%.40q: %.300s", c.values, got)
		}
		if limited := strings.HasPrefix(c.status, "429"); (shownHeader(p, "Retry-After") != "") != limited || shownHeader(p, "X-RateLimit-Limit") != "4" {
			t.Errorf("%.40q: headers %s", c.values, p.Text("#console-answer dl"))
		}
	}
}

// Access ends with the session, however it ended, in the same instant; nothing is counted from then on. So it
// does for an account whose address is not confirmed, and for a form that is not ours.
func TestConsoleEndsWithTheSession(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	b := s.SignUp("jeanne@exemple.fr")
	values := url.Values{reference.FieldMember: {"yes"}, reference.Argument + "code": {"93010"}}
	form := url.Values{"token": {b.Token()}}
	maps.Copy(form, values)
	if p := b.Send(http.MethodPost, communePage, form); shownHeader(p, "X-Quota-Used") != "1" {
		t.Fatalf("with the session: %s", p.Text("#console-answer"))
	}
	refused := func(what, text string, p *testkit.Page) {
		t.Helper()
		if p.Status != http.StatusForbidden || p.Find("#console-answer .chip").Length() != 0 || !strings.Contains(p.Text("main"), text) {
			t.Errorf("%s: %d\n%s", what, p.Status, p.Text("#console-answer"))
		}
	}
	s.Exec(`UPDATE account.account SET email_confirmed_at = NULL`)
	refused("not confirmed", "Confirmez d’abord", b.Send(http.MethodPost, communePage, form))
	s.Exec(`UPDATE account.account SET email_confirmed_at = now()`)
	refused("of another site", "", b.Send(http.MethodPost, communePage, form, "Sec-Fetch-Site", "cross-site"))
	refused("without a token", "trop longtemps", b.Send(http.MethodPost, communePage, values))
	held := b.Cookie(web.SessionCookie)
	s.Exec(`DELETE FROM account.session`)
	refused("revoked", "Votre session est terminée", b.Send(http.MethodPost, communePage, form, "Cookie", web.SessionCookie+"="+held))
	signedOut := s.Browser()
	refused("signed out", "Votre session est terminée", signedOut.Send(http.MethodPost, communePage, form))
	part := signedOut.Send(http.MethodPost, communePage, form, "HX-Request", "true")
	refused("in place", "", part)
	if part.Find("h1").Length() != 0 || !strings.Contains(part.Body, "/signin?next=") {
		t.Errorf("in place: %s", part.Body)
	}
	s.Stop() // what was counted is written
	testkit.Want(t, usedOf(s, "jeanne@exemple.fr"), 1, "requests are counted")
}

// Without an account three calls a day are made for a network, of the examples alone; then a
// sentence says what to do. What another client sends besides is not read. All of them together
// have a bound that many addresses cannot pass.
func TestConsoleWithoutAnAccount(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, func(c *config.Config) { c.TrustedProxies = []string{"127.0.0.1"} })
	b := s.Browser()
	from := "192.0.2.1"
	b.Before = func(r *http.Request) { r.Header.Set("X-Forwarded-For", from) }
	for _, op := range api.Operations() {
		page := b.Get(reference.Path+"/"+op.Name+"?lang=en").Want(http.StatusOK, "Try it", "Three tries per day")
		if n := page.Find("#console-place option").Length(); n != len(op.Places) || n == 0 {
			t.Errorf("%s: %d examples", op.Name, n)
		}
		if strings.Contains(page.Header.Get("Cache-Control"), "public") {
			t.Errorf("%s: %s", op.Name, page.Header.Get("Cache-Control"))
		}
	}
	token := b.Token()
	try := func(place string) *testkit.Page {
		return b.Send(http.MethodPost, communePage, url.Values{"token": {token}, reference.FieldPlace: {place}, reference.Argument + "code": {"75056"}})
	}
	for _, place := range []string{"", "-1", "3", "x", "93010"} {
		if p := try(place); p.Status != http.StatusBadRequest {
			t.Errorf("example %q: %d", place, p.Status)
		}
	}
	begun := time.Now() // from the first try on, more tries are let in
	for left, want := range []string{"Encore 2\u00a0essais", "Encore 1\u00a0essai", "le dernier essai"} {
		if p := try("0").Want(http.StatusOK, want); !strings.Contains(p.Text("#console-body"), "Bondy") || p.Find("#console-answer dl").Length() != 0 {
			t.Errorf("try %d: %s", left, p.Text("#console-answer"))
		}
	}
	for range 3 {
		if p := try("0").Want(http.StatusTooManyRequests, "Les trois essais"); p.Link("/signup?next=") == "" || p.Find("#console-body").Length() != 0 {
			t.Errorf("after the last try: %s", p.Text("#console-answer"))
		}
	}
	done := 3
	for i := range 40 {
		from = fmt.Sprintf("2001:db8:%x::1", i)
		if p := try("0"); p.Status == http.StatusOK {
			done++
		} else {
			p.Want(http.StatusTooManyRequests, "Beaucoup de personnes")
		}
	}
	// All anonymous clients together have 30 tries at once, and one more every two seconds.
	most := func() int { return 31 + int(time.Since(begun)/(2*time.Second)) }
	if done < 30 || done > most() {
		t.Errorf("%d tries in %v", done, time.Since(begun))
	}
	last := try("0")
	for tries := 0; tries < 300 && !strings.Contains(last.Body, "Trop de requêtes sans clé"); tries++ {
		last = try("0")
	}
	last.Want(http.StatusTooManyRequests, "Trop de requêtes sans clé")
	if n := testkit.Count(t, s.Pool, `SELECT count(*) FROM account.throttle`); n > 3*most() { // a /64, a /56 and a /48 each
		t.Errorf("%d networks are remembered", n)
	}
	if n := testkit.Count(t, s.Pool, `SELECT count(*) FROM account.usage`) + testkit.Count(t, s.Pool, `SELECT count(*) FROM account.api_key`); n != 0 {
		t.Errorf("%d rows are somebody's", n)
	}
}

// In a browser the answer appears below the button, which keeps the focus, and the page stays where it is;
// without scripts the same form leads to the page with the answer.
func TestConsoleInABrowser(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	for name, noScript := range map[string]bool{"scripts": false, "no scripts": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBrowser(t, s.Base, browserOptions{noScript: noScript, width: 390})
			signUpInBrowser(b, s, strings.ReplaceAll(name, " ", "-")+"@exemple.fr")
			b.open(communePage)
			form := `form[action^="` + communePage + `"]`
			b.run(chromedp.SetValue(form+` [name="arg-code"]`, "93008", chromedp.ByQuery))
			if noScript {
				b.press(form + " .button")
			} else {

				b.run(chromedp.Evaluate(`document.querySelector("#console").scrollIntoView(); document.querySelector(".console .button").focus({preventScroll: true}); window.before = scrollY; 0`, nil),
					chromedp.KeyEvent("\r"), chromedp.WaitVisible("#console-body", chromedp.ByQuery))
				if !evaluate[bool](b, `scrollY === before && document.activeElement === document.querySelector(".console .button") && location.hash === "" && history.length > 0`) {
					t.Error("the page moved, or the focus did")
				}
				b.judge(communePage)
			}
			if text := b.text("#console-answer"); !strings.Contains(text, "200 OK") || !strings.Contains(text, "X-Quota-Used") || !strings.Contains(text, "Bobigny") {
				t.Errorf("the answer is %s", text)
			}
			var value string
			b.run(chromedp.Value(form+` [name="arg-code"]`, &value, chromedp.ByQuery))
			testkit.Want(t, value, "93008", "the form holds")
			if keyText.MatchString(strings.Join(*b.seen, "")) {
				t.Error("a page holds a key")
			}
		})
	}
}

// A visitor without an account gets the answer in place too. The script for it is loaded when the form
// begins to be used: to readers it costs nothing.
func testConsoleInPlaceWithoutAnAccount(t *testing.T, s *fixture.Service) {
	t.Helper()
	b := newBrowser(t, s.Base, browserOptions{width: 1440})
	b.open(communePage)
	const loaded = `document.querySelectorAll("script[src*=htmx]").length`
	var before int
	b.run(chromedp.Evaluate(loaded, &before), chromedp.Evaluate(`document.querySelector("h1").dataset.shown = "before"; document.querySelector("#console").scrollIntoView(); 0`, nil), chromedp.Focus(".console .button", chromedp.ByQuery),
		chromedp.Poll(`document.querySelector("form[data-htmx][data-htmx-powered]") !== null`, nil, chromedp.WithPollingTimeout(0)), chromedp.Click(".console .button", chromedp.ByQuery), chromedp.WaitVisible("#console-body", chromedp.ByQuery))
	same := evaluate[string](b, `document.querySelector("h1").dataset.shown`)
	if text := b.text("#console-answer"); before != 0 || same != "before" || !strings.Contains(text, "Bondy") {
		t.Errorf("%d scripts before, the page is %q: %s", before, same, text)
	}
	b.judge(communePage)
}

// The console makes calls for an organisation if the role of the member allows keys, and says in its own
// place why it makes none.
func TestConsoleAsksTheRole(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	b := s.SignUp("jeanne@exemple.fr")
	b.Submit(b.Get("/account/organisations/new"), "/account/organisations/new", "name", "Alpha").Want(http.StatusSeeOther)
	for _, role := range member.Roles {
		s.Exec(`UPDATE account.member SET role = '` + string(role) + `'`)
		p := b.Post(communePage, formOf(b.Get(communePage).Want(http.StatusOK), communePage))
		switch {
		case role.May(member.UseConsole):
			if p.Status != http.StatusOK || p.Find("#console-answer").Length() == 0 {
				t.Errorf("as %s: %d\n%s", role, p.Status, p.Text("main"))
			}
		case p.Status != http.StatusForbidden || !strings.Contains(p.Body, "Votre rôle dans l’organisation choisie ne permet pas d’utiliser la console") ||
			p.Find("#console-answer dt").Length() != 0:
			t.Errorf("as %s: %d\n%s", role, p.Status, p.Text("main"))
		}
	}
	s.Exec(`UPDATE account.member SET role = 'owner'`)
	s.Exec(`UPDATE account.account SET member_factor_from = now() WHERE kind = 'organisation'`)
	if p := b.Post(communePage, formOf(b.Get(communePage).Want(http.StatusOK), communePage)); p.Status != http.StatusForbidden ||
		!strings.Contains(p.Body, "exige un second facteur") || p.Find("#console-answer dt").Length() != 0 {
		t.Errorf("without the second factor that is required: %d\n%s", p.Status, p.Text("main"))
	}
}
