package portal_test

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/tidwall/gjson"

	"arpent/app/dev/testkit"
	"arpent/auth/member"
	"arpent/internal/ident"
)

// A form acts for the organisation whose page it is on, or for none: after another one was chosen, in
// another tab, it is refused, and nothing changes.
func TestFormOfAnotherOrganisationIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	b := c.owner
	page := b.Get("/account/keys/new").Want(http.StatusOK)
	b.Submit(b.Get("/account"), "/account/switch", "organisation", strconv.FormatInt(int64(b.account.ID), 10)).Want(http.StatusOK, "Votre compte")
	b.Submit(page, "/account/keys/new", "name", "pour Alpha").Want(http.StatusConflict, "Cette page concernait une autre organisation", "Rien n’a été fait")
	own := b.Get("/account/keys/new").Want(http.StatusOK)
	b.Submit(b.Get("/account"), "/account/switch", "organisation", strconv.FormatInt(int64(c.id), 10)).Want(http.StatusOK, "Alpha")
	b.Submit(own, "/account/keys/new", "name", "pour moi").Want(http.StatusConflict)
	b.Post("/account/keys/new", url.Values{"name": {"public"}}).Want(http.StatusConflict) // the token of a public page
	s.expectCount(0, `SELECT count(*) FROM account.api_key`)
	forged := own.Value("token")
	b.Send(http.MethodPost, "/account/keys/new", url.Values{"token": {forged[:len(forged)-2] + "AA"}, "name": {"x"}}).Want(http.StatusForbidden)
}

// One person in two organisations, with two browsers whose tabs stay open while others are chosen, and
// assistants in all: each key that is made is in the organisation whose page it was asked on, each assistant
// in the one that was chosen on the page of its consent.
func TestOrganisationsAreNeverMixed(t *testing.T) {
	t.Parallel()
	s, oauth := newAssistantSite(t)
	a := s.company("jeanne@exemple.fr", "Alpha")
	other := s.company("paul@exemple.fr", "Beta")
	other.appoint(a.owner, member.Admin)
	second := s.signIn("jeanne@exemple.fr")
	accounts := []ident.AccountID{a.owner.account.ID, a.id, other.id}
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 1))
	type tab struct {
		page *testkit.Page
		of   ident.AccountID
	}
	browsers := []*browser{a.owner, second}
	chosen, tabs := []ident.AccountID{a.id, a.owner.account.ID}, make([][]tab, 2)
	s.exec(`UPDATE account.session SET organisation_id = NULL WHERE account_id = $1`, a.owner.account.ID)
	chosen[0] = a.owner.account.ID
	expected, refused := map[string]ident.AccountID{}, 0
	asks, connected := s.signIn("jeanne@exemple.fr").stay(), []ident.AccountID{}
	request := asks.Get(plain).Want(http.StatusOK).Value("request")
	for step := range testkit.Rounds(200, 10_000) {
		i := r.IntN(2)
		b := browsers[i]
		switch r.IntN(4) {
		case 3: // an assistant, for what the form names and whatever is chosen
			account, want := append(accounts, other.owner.account.ID)[r.IntN(4)], http.StatusSeeOther
			if account == other.owner.account.ID {
				want = http.StatusConflict
			} else {
				connected = append(connected, account)
			}
			asks.Post("/oauth/authorize", url.Values{"request": {request}, "decision": {"allow"}, "organisation": {strconv.FormatInt(int64(account), 10)}}).Want(want)
		case 0:
			chosen[i] = accounts[r.IntN(3)]
			b.Submit(b.Get("/account/settings"), "/account/switch", "organisation", strconv.FormatInt(int64(chosen[i]), 10)).Want(http.StatusOK)
		case 1:
			tabs[i] = append(tabs[i], tab{b.Get("/account/keys/new").Want(http.StatusOK), chosen[i]})
		case 2:
			if len(tabs[i]) == 0 {
				continue
			}
			from, name := tabs[i][r.IntN(len(tabs[i]))], fmt.Sprintf("clé %d", step)
			p := b.Submit(from.page, "/account/keys/new", "name", name)
			switch {
			case from.of == chosen[i] && p.Status == http.StatusCreated:
				expected[name] = from.of
			case from.of != chosen[i] && p.Status == http.StatusConflict:
				refused++
			default:
				t.Fatalf("seed %d, step %d: of %d while %d is chosen: %d", seed, step, from.of, chosen[i], p.Status)
			}
			s.exec(`UPDATE account.api_key SET revoked_at = $1 WHERE revoked_at IS NULL`, noon)
		}
	}
	if !slices.Equal(oauth.grants(), connected) {
		t.Errorf("seed %d: the assistants are connected to %v, not to %v", seed, oauth.grants(), connected)
	}
	rows := testkit.Must(s.pool.Query(t.Context(), `SELECT name, account_id FROM account.api_key`))(t)
	defer rows.Close()
	found := 0
	for rows.Next() {
		var name string
		var account ident.AccountID
		testkit.NoError(t, rows.Scan(&name, &account))
		if found++; expected[name] != account {
			t.Errorf("seed %d: %q is of %d, not %d", seed, name, account, expected[name])
		}
	}
	if found != len(expected) || found < 10 || refused < 10 {
		t.Errorf("seed %d: %d keys of %d, %d refused", seed, found, len(expected), refused)
	}
}

// A person alone reads no word about organisations, but for the one link that makes one.
func TestAloneThereAreNoOrganisations(t *testing.T) {
	t.Parallel()
	s := newSite(t, withAssistants)
	for _, lang := range []string{"fr", "en"} {
		b := s.member("jeanne-" + lang + "@exemple.fr")
		b.Submit(b.Get("/account/keys/new"), "/account/keys/new", "name", "première")
		for _, r := range s.portal.Routes() {
			if r.Method != fiber.MethodGet || strings.Contains(r.Path, ":") || strings.HasPrefix(r.Path, "/account/organisation") {
				continue
			}
			p := b.Get(r.Path + "?lang=" + lang)
			text := p.Text("main")
			if path, _, _ := strings.Cut(p.Path, "?"); path == "/account/settings" {
				text = strings.NewReplacer("Créer une organisation", "", "Create an organisation", "").Replace(text)
				p.Link("/account/organisations/new")
			}
			if strings.Contains(strings.ToLower(text), "organisation") {
				t.Errorf("%s (%s) speaks of organisations: %s", r.Path, lang, text)
			}
		}
		b.Get("/account/organisation").Want(http.StatusNotFound)
	}
}

// The notices of an organisation are its own: what its administrator chooses changes nothing of the person's
// account.
func TestNoticesOfOrganisation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	page := c.owner.Get("/account/organisation/notices").Want(http.StatusOK, "Avis de quota", "Autres destinataires")
	c.owner.Submit(page, "/account/settings/recipients", "email", "compta@exemple.fr").Want(http.StatusOK, "Un lien est parti vers compta@exemple.fr")
	token := c.owner.orgToken()
	c.owner.Send(http.MethodPost, "/account/settings/notifications", url.Values{"token": {token}, "percent": {"33"}}).Want(http.StatusOK, "Nous vous écrirons")
	c.owner.Send(http.MethodPost, "/account/settings/notifications", url.Values{"token": {token}, "percent": {"333"}}).Want(http.StatusUnprocessableEntity, "nombre entier de 1 à 100")
	for id, want := range map[ident.AccountID][]int{c.id: {33}, c.owner.account.ID: {80, 100}} {
		if got := read[[]int](s, `SELECT quota_percents::int[] FROM account.account WHERE id = $1`, id); !slices.Equal(got, want) {
			t.Errorf("the percents of %d are %v, not %v", id, got, want)
		}
	}
	if p := c.owner.Get("/account/settings"); p.Form("/account/settings/notifications") != nil || strings.Contains(p.Text("main"), "Comparer les offres") {
		t.Error("the settings of the person show those of the organisation")
	}
}

// An assistant is connected to the organisation that the person chooses on the page of the consent, not to
// the one that the session shows, and to none of which they may not connect one.
func TestAssistantOfOrganisation(t *testing.T) {
	t.Parallel()
	s, a := newAssistantSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	reading := s.company("paul@exemple.fr", "Beta")
	reading.appoint(c.owner, member.Reader)
	c.appoint(c.owner, member.Owner)
	b := c.owner.stay()
	page := b.Get(plain).Want(http.StatusOK, "Le relier à", "Alpha", "Mon compte personnel")
	if strings.Contains(page.Text("main"), "Beta") || page.Find(`input[name="organisation"][checked]`).AttrOr("value", "") != strconv.FormatInt(int64(c.id), 10) {
		t.Errorf("the choice is %s", page.Text("fieldset"))
	}
	answer := func(organisation ident.AccountID) *testkit.Page {
		t.Helper()
		return b.Post("/oauth/authorize", url.Values{"request": {page.Value("request")}, "decision": {"allow"}, "organisation": {strconv.FormatInt(int64(organisation), 10)}})
	}
	answer(c.id).Want(http.StatusSeeOther)
	answer(b.account.ID).Want(http.StatusSeeOther)
	answer(reading.id).Want(http.StatusConflict, "connecter d’assistant à l’organisation choisie")
	answer(reading.owner.account.ID).Want(http.StatusConflict)
	b.Post("/oauth/authorize", url.Values{"request": {page.Value("request")}, "decision": {"allow"}}).Want(http.StatusConflict)
	s.exec(`UPDATE account.member SET role = 'reader' WHERE person_id = $1`, b.account.ID) // since the page was shown
	answer(c.id).Want(http.StatusConflict)
	s.exec(`DELETE FROM account.member WHERE person_id = $1`, b.account.ID)
	answer(c.id).Want(http.StatusConflict) // not silently to their own account
	if got := a.grants(); !slices.Equal(got, []ident.AccountID{c.id, b.account.ID}) {
		t.Errorf("granted %v", got)
	}
	for _, r := range a.requests() {
		if r.Person != b.account.ID {
			t.Errorf("agreed by %d", r.Person)
		}
	}
}

// A person who is the last owner among others reads what stands in the way of the deletion before it is
// asked for, and nothing is deleted; alone in an organisation, they read that it goes with the account.
func TestDeletionOfAnOwner(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	c.owner.Get("/account/delete").Want(http.StatusOK, "Organisations supprimées", "Alpha")
	reader := c.join("lecteur@exemple.fr", member.Reader)
	c.owner.Get("/account/delete").Want(http.StatusOK, "ne peut pas encore être supprimé", "Alpha").LacksForm("/account/delete")
	c.owner.Post("/account/delete", url.Values{"email": {"jeanne@exemple.fr"}}).Want(http.StatusUnprocessableEntity, "toujours un propriétaire")
	reader.Submit(reader.Get("/account/delete").Want(http.StatusOK, "Organisations quittées", "Alpha"), "/account/delete", "email", "lecteur@exemple.fr").Want(http.StatusOK, "Votre compte est supprimé")
	s.expectCount(1, `SELECT count(*) FROM account.member WHERE account_id = $1`, c.id)
}

// A person whose account was in the hands of another ends with one button what was made in it for
// themselves, in organisations too; the keys of the organisations go on.
func TestAccessInOrganisationsEndsToo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	dev := c.join("dev@exemple.fr", member.Owner)
	company := c.key(dev, "production")
	c.appoint(dev, member.Developer)
	personal := c.key(dev, "intrus")
	colleague := c.join("autre@exemple.fr", member.Developer)
	other := c.key(colleague, "de l’autre")
	page := dev.Get("/account/security/access").Want(http.StatusOK, "intrus", "Alpha", "Révoquer 1\u00a0clé")
	if strings.Contains(page.Body, "production") || strings.Contains(page.Body, "de l’autre") {
		t.Error("keys of others are listed")
	}
	dev.Submit(page, "/account/security/access").Want(http.StatusOK, "Tout est révoqué")
	for key, want := range map[ident.KeyID]bool{company.ID: true, personal.ID: false, other.ID: true} {
		if k, err := s.keys.Get(t.Context(), c.id, key); err != nil || k.Live(noon) != want {
			t.Errorf("%s: live %v, %v", k.Name, k.Live(noon), err)
		}
	}
	c.owner.Get("/account/organisation/activity").Want(http.StatusOK, "Clé révoquée", "par dev@exemple.fr")
}

// Owners find who did what and when among the activity of the organisation, and take it away as a file that
// runs nothing in a spreadsheet; other roles read neither, and nothing of another organisation is in it.
func TestActivityIsFilteredAndDownloaded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Cadastre & Fils")
	admin := c.join("admin@exemple.fr", member.Admin)
	c.key(admin, "=HYPERLINK(1)")
	c.key(c.owner, "import")
	other := s.company("x@exemple.fr", "Beta")
	other.key(other.owner, "clé de Beta")
	s.clock.Advance(48 * time.Hour)
	c.key(c.owner, "plus tard")
	s.exec(`INSERT INTO account.audit (account_id, at, actor, action, detail) VALUES ($1, $2, 'operator', 'limits_changed', '{"operator": 77, "per_day": 9}')`, c.id, noon)

	const path = "/account/organisation/activity"
	shows := func(query string, wanted, unwanted []string) {
		t.Helper()
		table := c.owner.Get(path + query).Want(http.StatusOK).Text("tbody")
		testkit.Contains(t, table, wanted...)
		for _, text := range unwanted {
			if strings.Contains(table, text) {
				t.Errorf("%q: %q in %s", query, text, table)
			}
		}
	}
	shows("", []string{"Organisation créée", "HYPERLINK", "import", "plus tard", "Limites changées"}, []string{"Beta"})
	shows("?by=admin@exemple.fr", []string{"HYPERLINK"}, []string{"import", "Organisation créée", "Limites"})
	shows("?by=operator", []string{"Limites changées"}, []string{"import", "Organisation créée"})
	shows("?kind=keys", []string{"HYPERLINK", "import", "plus tard"}, []string{"Organisation créée", "Limites"})
	shows("?kind=members", []string{"Organisation créée"}, []string{"import"})
	shows("?from=2026-11-23&to=2026-11-23", []string{"plus tard"}, []string{"import"})
	shows("?to=2026-11-21&kind=keys&by=jeanne@exemple.fr", []string{"import"}, []string{"HYPERLINK", "plus tard"})
	c.owner.Get(path+"?kind=nothing&by=unknown@exemple.fr").Want(http.StatusOK, "Aucune activité ne correspond", "gardée un an")
	for _, wrong := range []string{"?from=2026-11-32", "?from=2026-11-23&to=2026-11-21"} {
		c.owner.Get(path+wrong).Want(http.StatusBadRequest, "premier jour avant le dernier")
		c.owner.Get(path+".csv"+wrong).Want(http.StatusBadRequest, "premier jour avant le dernier")
	}

	file := c.owner.Get(path + ".csv?kind=keys").Want(http.StatusOK)
	rows, err := csv.NewReader(strings.NewReader(file.Body)).ReadAll()
	if err != nil || len(rows) != 4 || strings.Join(rows[0], ",") != "at,action,what,detail,by,device,address" {
		t.Fatalf("%v in %s", err, file.Body)
	}
	if last := rows[3]; last[0] != "2026-11-21T10:42:07Z" || last[1] != "key_created" || last[4] != "admin@exemple.fr" {
		t.Errorf("%q", last)
	}
	for _, row := range rows {
		for _, cell := range row {
			if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@") {
				t.Errorf("a spreadsheet runs %q", cell)
			}
		}
	}
	if name := file.Header.Get("Content-Disposition"); name != `attachment; filename="activity-2026-11-23.csv"` {
		t.Error(name)
	}
	body := c.owner.Get(path + ".json").Want(http.StatusOK).Body
	all := gjson.Get(body, "events")
	if all.Get("#").Int() != 5 || strings.Contains(body, "77") || strings.Contains(body, "Beta") ||
		all.Get(`#(action=="limits_changed").by`).Str != "operator" || all.Get(`#(detail.name=="import").by`).Str != "jeanne@exemple.fr" {
		t.Error(body)
	}
	own := c.owner.Get("/account/security/activity.json").Want(http.StatusOK).Body
	if v := gjson.Get(own, `events.#(action=="signed_in").by`); v.Type != gjson.Null || strings.Contains(own, "key_created") {
		t.Error(own)
	}
	reader := c.join("lecteur@exemple.fr", member.Reader)
	for _, suffix := range []string{"", ".csv", ".json"} {
		reader.Get(path + suffix).Want(http.StatusForbidden)
	}
	s.exec(`INSERT INTO account.audit (account_id, at, actor, action) SELECT $1, $2, 'system', 'plan_changed' FROM generate_series(1, 20001)`, c.id, noon)
	c.owner.Get(path+".csv?by=system").Want(http.StatusBadRequest, "plus de 20\u202f000\u00a0lignes")
}
