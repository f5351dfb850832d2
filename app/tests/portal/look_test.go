package portal_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/chromedp/chromedp"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// evaluate returns what a script gives in the page that is shown.
func evaluate[T any](b *browser, script string) (value T) {
	b.t.Helper()
	b.run(chromedp.Evaluate(script, &value))
	return value
}

// A visitor is not misled by how a page looks: a box to tick that is empty does not look disabled in the
// dark, the name of an organisation takes the width that there is, a menu shows the whole role of a member, a
// heading does not repeat the title of its page, what follows buttons stands apart from them, the switch of
// the language stays next to the links of the footer, and a row of headings that goes on fades at its edge.
func TestPagesAreLaidOut(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	jeanne := s.SignUp("jeanne@exemple.fr")
	jeanne.Submit(jeanne.Get("/account/organisations/new"), "/account/organisations/new",
		"name", "Cabinet de géomètres Durand, Lefèvre et Associés")
	s.SignUp("compta@exemple.fr")
	s.Exec(`INSERT INTO account.member (account_id, person_id, role, created_at)
		SELECT m.account_id, a.id, 'billing', now() FROM account.member m, account.account a WHERE a.email LIKE 'compta%'`)
	s.Exec(`UPDATE account.session SET organisation_id = (SELECT account_id FROM account.member LIMIT 1)`)
	for _, dark := range []bool{false, true} {
		b := newBrowser(t, s.Base, browserOptions{dark: dark})
		b.signIn("jeanne@exemple.fr")
		s.Exec(`UPDATE account.session SET organisation_id = (SELECT account_id FROM account.member LIMIT 1)`)
		b.open("/account/organisation")
		if !evaluate[bool](b, `(() => { const h = document.querySelector("h1"); return h.offsetHeight < 2 * parseFloat(getComputedStyle(h).fontSize) })()`) {
			t.Errorf("dark %v: the name of the organisation takes two lines of a wide screen", dark)
		}
		if !evaluate[bool](b, `[...document.querySelectorAll("main input:is([type=radio], [type=checkbox]):not(:checked)")].every((e, i, all) =>
			all.length > 2 && getComputedStyle(e).appearance === "none" && getComputedStyle(e).backgroundColor === getComputedStyle(document.body).backgroundColor)`) {
			t.Errorf("dark %v: an empty box is drawn by the browser, grey in the dark", dark)
		}
		if !evaluate[bool](b, `[...document.querySelectorAll(".members select")].every((e, i, all) => {
			const pen = document.createElement("canvas").getContext("2d");
			pen.font = getComputedStyle(e).font;
			return all.length === 2 && pen.measureText(e.selectedOptions[0].text).width < e.clientWidth - 36; // less the padding and the arrow
		})`) {
			t.Errorf("dark %v: the role of a member is cut", dark)
		}
		b.judge("/account/organisation")
		b.open("/account/organisation/notices")
		if !evaluate[bool](b, `[...document.querySelectorAll("main h2")].every((e, i, all) =>
			all.length > 1 && e.textContent.trim() !== document.querySelector("h1").textContent.trim())`) {
			t.Errorf("dark %v: a heading repeats the title of the page of notices", dark)
		}
	}
	b := newBrowser(t, s.Base, browserOptions{width: 768})
	b.open("/")
	if !evaluate[bool](b, `(() => { const top = (e) => document.querySelector(e).getBoundingClientRect().top;
		return Math.abs(top(".foot .links a") - top(".foot > :last-child")) < 12 })()`) {
		t.Error("the switch of the language is not in the row of the links of the footer")
	}
	b.open("/docs/errors")
	if !evaluate[bool](b, `(() => { const list = document.querySelector(".toc ul"); return list.scrollWidth > list.clientWidth && getComputedStyle(list).maskImage.includes("gradient") })()`) {
		t.Error("nothing shows that the row of headings goes on")
	}
	b.open("/signin")
	if !evaluate[bool](b, `(() => { const p = document.createElement("p"); document.querySelector(".actions").after(p); return parseFloat(getComputedStyle(p).marginTop) >= 12 })()`) {
		t.Error("a sentence after buttons touches them")
	}
}

// Words that a text of the other language does not do without.
var (
	englishWords = []string{"the", "of", "and", "with", "your", "you", "this", "that", "which", "from", "are", "has"}
	frenchWords  = []string{"le", "les", "des", "du", "une", "est", "avec", "votre", "vous", "cette", "dans", "pour", "qui", "sont", "pas"}
)

// foreignText returns the first text of a page with two words of the other language; empty: there is none.
// Code, names of data sets and what is marked as another language do not count.
func foreignText(p *testkit.Page, words []string) string {
	body := p.Find("body").Clone()
	body.Find(`code, pre, script, style, svg, q, option, [lang], [hreflang], [translate="no"], .entries, .tight, .pairs, .unfold`).Remove()
	found := ""
	body.Find("p, li, td, th, dt, dd, h1, h2, h3, label, legend, button, summary, a, span").EachWithBreak(func(_ int, e *goquery.Selection) bool {
		own := strings.FieldsFunc(strings.ToLower(e.Text()), func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzàâçéèêëîïôùûüœ-", r)
		})
		n := 0
		for _, w := range own {
			for _, foreign := range words {
				if w == foreign {
					n++
				}
			}
		}
		if n >= 2 && n*5 >= len(own) {
			found = e.Text()
		}
		return found == ""
	})
	return strings.Join(strings.Fields(found), " ")
}

// The usage of a busy account is at most 3 000 px long on a phone: what is secondary is folded there, and
// open on a large screen.
func TestUsageIsShortOnAPhone(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	s.SignUp("jeanne@exemple.fr")
	furnish(s, "jeanne@exemple.fr")
	b := newBrowser(t, s.Base, browserOptions{width: 390})
	b.signIn("jeanne@exemple.fr")
	const isShown = `["#key", ".refusals", "#from"].map((of) => document.querySelector(of).checkVisibility())`
	for _, path := range []string{"/account/usage?period=30d", "/account/usage?period=24h"} {
		b.open(path)
		var height int
		b.run(chromedp.Evaluate(`document.documentElement.scrollHeight`, &height))
		if height > 3000 {
			t.Errorf("%s is %d px long", path, height)
		}
		if evaluate[bool](b, isShown+`.some((shown) => shown)`) {
			t.Errorf("%s opens what is secondary", path)
		}
	}
	b.run(screen(1440))
	if !evaluate[bool](b, isShown+`.every((shown) => shown)`) {
		t.Error("on a large screen a part is folded")
	}
}

// breakable matches dates, amounts and measures that a line may end in.
var breakable = map[string]*regexp.Regexp{
	"fr": regexp.MustCompile(`\b(\d{1,2}|1er) (janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|` +
		`novembre|décembre) \d{4}|\d (€|%|km²?|m²|ms)(\s|[.,;)]|$)`),
	"en": regexp.MustCompile(`\b\d{1,2} (January|February|March|April|May|June|July|August|September|October|` +
		`November|December) \d{4}`)}

// A page is in one language, that of its reader, and its dates and amounts stay on one line.
func TestPagesAreInOneLanguage(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	jeanne := s.SignUp("jeanne@exemple.fr")
	furnish(s, "jeanne@exemple.fr")
	for _, path := range []string{"/", "/pricing", "/docs", "/docs/account", "/docs/addresses", "/docs/assistants", "/docs/clients", "/docs/errors", "/docs/recipes", "/docs/recipes/spreadsheet",
		"/docs/reference", "/docs/reference/get_commune", "/docs/reference/search_address", "/changes", "/methods", "/sources", "/coverage", "/explore", "/status", "/terms", "/privacy", "/legal",
		"/contact", "/connect", "/forgot", "/account", "/account/keys", "/account/keys/new", "/account/keys/1", "/account/keys/1/rotate", "/account/keys/1/revoke", "/account/tokens", "/account/tokens/new",
		"/account/assistants", "/account/usage", "/account/plan", "/account/settings", "/account/settings/email", "/account/security", "/account/security/password",
		"/account/security/two-factor", "/account/delete", "/account/security/activity", "/account/security/access", "/account/verify", "/account/export",
		"/account/organisations/new", "/account/organisations/convert", "/nothing-here"} {
		for language, words := range map[string][]string{"fr": englishWords, "en": frenchWords} {
			page := jeanne.Get(inLanguage(path, language))
			if text := foreignText(page, words); text != "" {
				t.Errorf("%s in %s: %.200s", path, language, text)
			}
			page.Find("main [lang=en], main .sources").Remove() // descriptions of the contract, titles of producers
			if text := breakable[language].FindString(page.Text("main")); text != "" {
				t.Errorf("%s in %s: %q can break between lines", path, language, text)
			}
		}
	}
}
