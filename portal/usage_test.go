package portal_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"arpent/api"
	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/billing"
	"arpent/billing/meter"
)

// firstOperation and secondOperation are those that the meter knows by 0 and 1.
var firstOperation, secondOperation = api.OperationNames()[0], api.OperationNames()[1]

func keyNumber(k apikey.Key) string { return strconv.FormatInt(int64(k.ID), 10) }

// use writes that a key was used n times on a day, the last time at that moment.
func (s *site) use(b *browser, k apikey.Key, operation string, at time.Time, n int) {
	s.t.Helper()
	for _, statement := range []string{
		`INSERT INTO account.usage (account_id, key_id, operation, status_class, day, requests, counted)
			VALUES ($1, $2, $3, 2, ($4::timestamptz AT TIME ZONE 'Europe/Paris')::date, $5, $5)`,
		`UPDATE account.api_key SET last_used_at = $4, request_count = request_count + $5
			WHERE account_id = $1 AND id = $2 AND $3 <> ''`,
		`UPDATE account.account SET created_at = least(created_at, $4)
			WHERE id = $1 AND $2 > 0 AND $3 <> '' AND $5 > 0`,
	} {
		s.exec(statement, b.account.ID, k.ID, operation, at, n)
	}
}

func (s *site) refuse(b *browser, k apikey.Key, met string, limit int, first, last time.Time, n int) {
	s.t.Helper()
	_, err := s.pool.Exec(s.t.Context(), `
		INSERT INTO account.refusal (account_id, key_id, met, "limit", minute, first_at, last_at, requests)
		VALUES ($1, $2, $3, $4, date_trunc('minute', $5::timestamptz), $5, $6, $7)`, b.account.ID, k.ID, met, limit, first, last, n)
	testkit.NoError(s.t, err)
}

// The 30 days are there with every day's number, by key and by
// operation, in a table as well as in the picture.
func TestUsageShowsThirtyDays(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b, other := s.member("jeanne@exemple.fr"), s.member("autre@exemple.fr")
	ingest, site := b.key("ingest"), b.key("site web")
	s.use(b, ingest, "get_parcel", noon, 1200)
	s.use(b, site, "find_communes", noon.AddDate(0, 0, -29), 34)
	s.use(b, site, "find_communes", noon.AddDate(0, 0, -30), 5000) // a day too old
	s.use(other, other.key("à lui"), "list_regions", noon, 777)
	p := b.Get("/account/usage?by=key").Want(http.StatusOK, "1\u202f234\u00a0requêtes en 30\u00a0jours", "ingest", "1\u202f200", "97\u00a0%", "site web", "34", "23\u00a0octobre\u00a02026")
	testkit.Want(t, strings.Count(p.Body, `class="chart-hit"`), 30, "bars")
	testkit.Want(t, strings.Count(p.Text(".days"), "2026"), 30, "days in the table")
	if strings.Contains(p.Body, "777") || strings.Contains(p.Body, "à lui") {
		t.Error("somebody else's use is shown")
	}
	b.Get("/account/usage?by=operation&lang=en").Want(http.StatusOK, "1,234 requests in 30 days", "get_parcel", "find_communes", "97%")
}

// A rejection says in words which limit was met, when, and with which key.
func TestRejectionsInPlainWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	b.Get("/account/usage").Want(http.StatusOK, "Aucun refus", "Aucune requête en 30\u00a0jours", "Créer une clé")
	over := b.key("ancienne")
	b.Post(keyPath(over, "/revoke"), nil)
	b.Get("/account/usage").Want(http.StatusOK, "Créer une clé")
	k := b.key("ingest")
	b.Get("/account/usage").Want(http.StatusOK, "/api/v1/communes/75056\"")
	s.refuse(b, k, "minute", 60, noon, noon, 1)
	s.refuse(b, k, "enrichments", 5, noon.Add(-time.Hour), noon.Add(-time.Hour+9*time.Second), 3)
	s.refuse(b, k, "day", 100, noon.Add(-2*time.Hour), noon.Add(-2*time.Hour+time.Second), 2)
	s.refuse(b, k, "key", 500, noon.Add(-24*time.Hour), noon.Add(-24*time.Hour), 1)
	b.Get("/account/usage").Want(http.StatusOK, "21\u00a0novembre\u00a02026",
		"11:42:07 61e requête en 60\u00a0secondes, clé ingest",
		"10:42:07 6e rapport de parcelle en 60\u00a0secondes, clé ingest , puis 2 autres jusqu’à 10:42:16",
		"09:42:07 101e requête de la journée, au-delà du quota, clé ingest , puis 1 autre jusqu’à 09:42:08",
		"20\u00a0novembre\u00a02026", "501e requête de la journée avec cette clé, au-delà de son plafond")
	b.Get("/account/usage?lang=en").Want(http.StatusOK, "11:42:07 61st request within 60 seconds, key ingest",
		"101st request of the day", "then 1 more until 09:42:08", "6th parcel report")
}

// The last requests say why each one failed, with the number to quote; another account's are not among them,
// and those of one key, operation or outcome can be chosen without scripts.
func TestLastRequestsSayWhy(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b, other := s.member("jeanne@exemple.fr"), s.member("autre@exemple.fr")
	ingest, site := b.key("ingest"), b.key("site web")
	b.Get("/account/usage").Want(http.StatusOK, "Aucune requête ces dernières 24\u00a0heures")
	call := func(b *browser, k apikey.Key, id string, answer meter.Answer) {
		v := s.meter.Admit(t.Context(), meter.Request{Account: b.account.ID, Key: k.ID, Limits: billing.Limits{PerMinute: 4, EnrichmentsPerMinute: 4, PerDay: 9}})
		answer.RequestID = [16]byte([]byte(id))
		s.meter.Done(&v, answer)
	}
	call(b, ingest, "00000000000000a1", meter.Answer{Status: 200, Took: 1200 * time.Microsecond})
	call(b, ingest, "00000000000000a2", meter.Answer{Status: 400, Reason: "invalid_parameter", Parameter: "code", Took: 90 * time.Microsecond})
	call(b, site, "00000000000000a3", meter.Answer{Operation: 1, Status: 404, Reason: "not_found", Took: 310 * time.Microsecond})
	call(b, site, "00000000000000a4", meter.Answer{Operation: 1, Status: 503, Reason: "unavailable", Took: 2 * time.Second})
	for range 3 {
		call(b, ingest, "00000000000000a5", meter.Answer{Status: 429})
	}
	call(other, other.key("à lui"), "00000000000000b1", meter.Answer{Status: 200})
	testkit.NoError(t, s.meter.Flush(t.Context()))
	p := b.Get("/account/usage").Want(http.StatusOK, "11:42:07", "200 OK", "1,2\u00a0ms", "00000000000000a1", ingest.Prefix,
		"400 Bad Request", "Paramètre code manquant ou invalide", "404 Not Found", "Introuvable", "503 Service Unavailable", "Service momentanément indisponible",
		"429 Too Many Requests", "Limite par minute du compte atteinte, puis 2\u00a0autres", "0,31\u00a0ms au plus (p50)", "2\u202f000\u00a0ms au plus (p95)",
		"sur les 4\u00a0dernières", "Erreurs client (4xx) 5", "Erreurs serveur (5xx) 1", "Réussies (2xx, 304) 1")
	p.Lacks("00000000000000b1")
	if n := strings.Count(p.Text("main"), "Erreurs client (4xx) 5"); n != 1 {
		t.Errorf("the number of client errors stands %d times", n)
	}
	if n := b.Get("/account/usage?by=key").Find(".figures dd").Length(); n != 3 {
		t.Errorf("by key, %d outcomes have a figure", n)
	}
	for query, want := range map[string][]string{
		"key=" + keyNumber(site):       {"a3", "a4"},
		"operation=" + firstOperation:  {"a1", "a2", "a5"},
		"outcome=server-error":         {"a4"},
		"outcome=ok&key=console":       nil,
		"outcome=client-error&lang=en": {"a2", "a3", "a5"},
	} {
		body := b.Get("/account/usage?" + query).Want(http.StatusOK).Body
		for _, id := range []string{"a1", "a2", "a3", "a4", "a5"} {
			if strings.Contains(body, "00000000000000"+id) != slices.Contains(want, id) {
				t.Errorf("%s: request %s", query, id)
			}
		}
	}
	b.Get("/account/usage?lang=en").Want(http.StatusOK, "Parameter code missing or invalid", "Limit per minute of the account reached, then 2 more",
		"Client errors (4xx) 5", "0.31 ms or less (p50)", "over the last 4 requests of the past 24 hours")
	csv := b.Get("/account/usage.csv?outcome=server-error&lang=en").Want(http.StatusOK).Body
	if want := "day,key,operation,status_class,requests,counted,outcome\n2026-11-21,site web," + secondOperation + ",5xx,1,0,Server errors (5xx)\n"; csv != want {
		t.Errorf("%q, want %q", csv, want)
	}
	for _, key := range []string{keyNumber(other.key("autre")), "0", "x"} {
		b.Get("/account/usage?key=" + key).Want(http.StatusNotFound)
	}
	s.clock.Advance(24*time.Hour + time.Second)
	if body := b.Get("/account/usage").Want(http.StatusOK).Body; strings.Contains(body, "00000000000000a1") {
		t.Error("a request of more than a day ago is shown")
	}
}

// Today and the last 24 hours are shown hour by hour, in hours of Paris; to an account that was made today,
// today is shown first.
func TestUsageByHour(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	k := b.key("ingest")
	hour := noon.Truncate(time.Hour)
	for ago, requests := range map[int]int{0: 5, 11: 7, 12: 40, 24: 900} { // 11 o'clock in Paris, midnight, 23 o'clock and 11 o'clock the day before
		s.exec(`INSERT INTO account.usage_hour (account_id, key_id, operation, status_class, hour, requests)
			VALUES ($1, $2, 'get_parcel', 2, $3, $4)`, b.account.ID, k.ID, hour.Add(-time.Duration(ago)*time.Hour), requests)
	}
	b.Get("/account/usage").Want(http.StatusOK, "12\u00a0requêtes aujourd’hui").Link("/account/usage?period=30d")
	s.exec(`UPDATE account.account SET created_at = created_at - interval '1 day'`)
	b.Get("/account/usage").Want(http.StatusOK, "Aucune requête en 30\u00a0jours").Link("/account/usage?period=today")
	p := b.Get("/account/usage?period=today").Want(http.StatusOK, "12\u00a0requêtes aujourd’hui\u00a0; le plus en une heure\u00a0: 7, à\u00a00\u00a0h")
	if rows := p.Text(".days"); !strings.Contains(rows, "11\u00a0h 5 5") || strings.Contains(rows, "40") {
		t.Error(rows)
	}
	b.Get("/account/usage?period=24h&lang=en").Want(http.StatusOK, "52 requests in 24 hours; most in one hour: 40, on 20\u00a0November\u00a02026, 23:00", "23:00, 20\u00a0November\u00a02026")
	b.Get("/account/usage?period=24h&by=key").Want(http.StatusOK, "ingest")
	b.Get("/account/usage?period=today&key=console").Want(http.StatusOK, "Aucune requête ne correspond")
}

// The rejections of one day of the last thirty are found from the number of that day.
func TestRejectionsOfADay(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	k, second := b.key("ingest"), b.key("second")
	s.use(b, k, "get_parcel", noon.AddDate(0, 0, -1), 5)
	s.refuse(b, k, "minute", 60, noon, noon, 1)
	s.refuse(b, k, "day", 100, noon.AddDate(0, 0, -1), noon.AddDate(0, 0, -1), 4)
	b.Get("/account/usage").Want(http.StatusOK, "61e requête en 60\u00a0secondes", "101e requête").Link("/account/usage?day=2026-11-20#refusals")
	p := b.Get("/account/usage?day=2026-11-20").Want(http.StatusOK, "101e requête de la journée", "Le 20\u00a0novembre\u00a02026.")
	if strings.Contains(p.Text("#refusals"), "61e") {
		t.Error("the rejections of another day are shown")
	}
	b.Get("/account/usage?day=2026-11-20&key="+keyNumber(second)).Want(http.StatusOK, "Aucun refus ne correspond")
}

// The bars are what the meter would say at this moment, in words as well, and a page that stays open follows.
func TestBarsFollowTheMeter(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	k := b.key("ingest")
	limits := billing.Entitlement(billing.Free, billing.Own{})
	for range 9 {
		v := s.meter.Admit(t.Context(), meter.Request{Account: b.account.ID, Key: k.ID, Limits: limits, Class: meter.Enrichments})
		s.meter.Done(&v, meter.Answer{Status: http.StatusOK})
	}
	for _, path := range []string{"/account", "/account/usage", "/account/usage/now"} {
		p := b.Get(path).Want(http.StatusOK, "5\u00a0requêtes sur 100", "5\u00a0requêtes sur 10", "Dont rapports de parcelle\u00a0: 5 sur 5", "dans 12\u00a0h\u00a018")
		if bars := p.Find("#now"); bars.AttrOr("hx-get", "") != "/account/usage/now?lang=fr" || bars.AttrOr("hx-swap", "") != "outerHTML" {
			t.Errorf("%s: the bars do not ask again", path)
		}
	}
	if body := b.Get("/account/usage/now").Body; strings.Contains(body, "<html") {
		t.Error("the fragment is a whole page")
	}
	b.Get("/account/usage/now?lang=en").Want(http.StatusOK, "5 of 100 requests", "Of these, parcel reports: 5 of 5", "12 h 18 min")
	p := s.browser().stay().Get("/account/usage/now").Want(http.StatusNoContent)
	if to := p.Header.Get("HX-Redirect"); to != "/signin?next=/account/usage" {
		t.Errorf("a visitor who is signed out is sent to %q", to)
	}
}

// The file holds the account's own rows, names no formula, and is bounded.
func TestUsageCSV(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b, other := s.member("jeanne@exemple.fr"), s.member("autre@exemple.fr")
	k := b.key("=cmd|' /C calc'!A0")
	s.use(b, k, "get_parcel", noon, 12)
	s.use(other, other.key("à lui"), "get_parcel", noon, 777)
	p := b.Get("/account/usage.csv?from=2026-11-01&to=2026-11-21").Want(http.StatusOK)
	if want := `attachment; filename="usage-2026-11-01-2026-11-21.csv"`; p.Header.Get("Content-Disposition") != want {
		t.Errorf("%q", p.Header.Get("Content-Disposition"))
	}
	want := "day,key,operation,status_class,requests,counted,outcome\n2026-11-21,'=cmd|' /C calc'!A0,get_parcel,2xx,12,12,\"Réussies (2xx, 304)\"\n"
	if p.Body != want || p.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("%q: %q", p.Header.Get("Content-Type"), p.Body)
	}
	for _, query := range []string{"from=hier", "from=2026-11-02&to=2026-11-01", "from=2020-01-01&to=2026-11-21", "to=1066-10-14", "from=2026-11-01&to=9999-12-31"} {
		b.Get("/account/usage.csv?"+query).Want(http.StatusBadRequest, "Le fichier n’a pas pu être produit", "400\u00a0jours au plus")
	}
}

// Somebody new is led from step to step, each ticked once it is done; after the last they are gone.
func TestHomeLeadsToTheFirstCall(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	ticked := func() int { return strings.Count(b.Get("/account").Body, `class="ticked"`) }
	b.Get("/account").Want(http.StatusOK, "Confirmer votre adresse", "Créer une clé", "Faire un premier appel", "aucune clé", "Assistants aucun")
	testkit.Want(t, ticked(), 1, "steps ticked after confirming")
	k := b.key("ingest")
	testkit.Want(t, ticked(), 2, "steps ticked with a key")
	s.use(b, k, "get_parcel", noon, 1)
	p := b.Get("/account").Want(http.StatusOK, "1\u00a0clé", "dernier appel le 21\u00a0novembre\u00a02026 à\u00a011:42, par la clé «\u00a0 ingest \u00a0»", "double authentification")
	if strings.Contains(p.Text("html"), "Pour commencer") {
		t.Error("the steps stay after the last one")
	}
	s.use(b, b.connect("Claude", "registered-1", "https://claude.ai/api/mcp/auth_callback"), "get_commune", noon.Add(time.Minute), 1)
	b.Get("/account").Want(http.StatusOK, "dernier appel le 21\u00a0novembre\u00a02026 à\u00a011:42, par la clé «\u00a0 ingest \u00a0»", "1 connecté")
	call := func(n int) {
		for range n {
			v := s.meter.Admit(t.Context(), meter.Request{Account: b.account.ID, Key: k.ID, Limits: billing.Limits{PerMinute: 100, PerDay: 100}})
			s.meter.Done(&v, meter.Answer{Status: http.StatusOK})
		}
	}
	call(80)
	b.Get("/account").Want(http.StatusOK, "À 100\u00a0%, chaque requête est refusée")
	call(20)
	b.Get("/account").Want(http.StatusOK, "Le quota du jour est épuisé")
	at := noon.Add(3 * 24 * time.Hour)
	if _, err := s.keys.SetExpiry(t.Context(), b.account.ID, k.ID, &at); err != nil {
		t.Fatal(err)
	}
	b.Get("/account?lang=en").Want(http.StatusOK, "The key ingest expires within seven days", "the new key keeps the same expiry").Link(keyPath(k, "#expiry"))
	b.Get(keyPath(k, "/rotate")).Want(http.StatusOK, "Elle expirera donc aussi le 24\u00a0novembre\u00a02026")
	b.Post(keyPath(k, "/pause"), nil)
	if p := b.Get("/account"); strings.Contains(p.Text("main"), "Reculer son échéance") {
		t.Error("a paused key is proposed for extension")
	}
	b.Post(keyPath(k, "/resume"), nil)
	old := b.key("ancienne")
	s.use(b, old, "get_parcel", noon.Add(2*time.Minute), 1)
	b.Post(keyPath(old, "/revoke"), nil)
	b.Get("/account").Want(http.StatusOK, "par la clé «\u00a0 ingest \u00a0»") // of the keys that are counted there
}
