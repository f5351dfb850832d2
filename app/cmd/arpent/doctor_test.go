package main

import (
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/fixture"
	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// A user who is stuck reads what is wrong and what to do about it, all of it at once, and a script sees it
// from the exit status. No password is shown.
func TestDoctor(t *testing.T) { // not parallel: commands read the environment
	_, url := testkit.DB(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0") // not HTTP: another program has the port
	testkit.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	go func() {
		for conn, err := taken.Accept(); err == nil; conn, err = taken.Accept() {
			conn.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_MODE", "development")
	state, data := t.TempDir(), t.TempDir()
	t.Setenv("ARPENT_STATE_DIR", state)
	t.Setenv("ARPENT_DATA", data)
	t.Setenv("PORT", port)

	out, err := runArpent(t, "", "doctor")
	if err == nil {
		t.Error("a taken port is no failure")
	}
	expectParts(t, out, "ok       database", "ok       schema         up to date", "problem  port", "set PORT to a free one")

	expectParts(t, out, "ok       data           no starter data; further files in "+data+" (ARPENT_DATA)")

	downloads := filepath.Join(state, "downloads") // what was fetched is loaded too
	testkit.NoError(t, os.CopyFS(downloads, fstest.MapFS{"manifest.jsonl": {Data: []byte(`{"path":"ban.csv.gz"}`)}, "ban.csv.gz": {}}))
	fetched, _ := runArpent(t, "", "doctor")
	expectParts(t, fetched, data+" (ARPENT_DATA); files fetched into "+downloads+": 1")

	expectParts(t, out, "ok       legal pages    incomplete, which a public server may not be", "ARPENT_PUBLISHER_NAME")

	t.Setenv("ARPENT_DATABASE_URL", "postgres://someone:hidden@127.0.0.1:"+port+"/arpent?sslmode=disable")
	out, err = runArpent(t, "", "doctor")
	if err == nil {
		t.Error("a database that does not answer is no failure")
	}
	expectParts(t, out, "problem  database", "ARPENT_DATABASE_URL")
	if strings.Contains(out, "hidden") {
		t.Errorf("the password is shown:\n%s", out)
	}

	t.Setenv("ARPENT_DATABASE_URL", "")
	t.Setenv("ARPENT_MODE", "production")
	out, _ = runArpent(t, "", "doctor")
	expectParts(t, out, "problem  database       none", "set ARPENT_DATABASE_URL") // serve does not start

	file := filepath.Join(t.TempDir(), "file")
	testkit.NoError(t, os.WriteFile(file, nil, 0o600))
	t.Setenv("ARPENT_STATE_DIR", file)
	out, _ = runArpent(t, "", "doctor")
	expectParts(t, out, "problem  disk           cannot be written to", "set ARPENT_STATE_DIR")

	t.Setenv("ARPENT_LOG_LEVEL", "loud")
	t.Setenv("ARPENT_DATABASE_CONNS", "1")
	out, err = runArpent(t, "", "doctor")
	if err == nil {
		t.Error("wrong settings are no failure")
	}
	expectParts(t, out, "problem  configuration", "ARPENT_LOG_LEVEL", "ARPENT_DATABASE_CONNS")
}

func expectParts(t *testing.T, out string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in:\n%s", part, out)
		}
	}
}

// Settings that the server accepts and that keep a public server from working are found before its users
// find them: a public address without TLS, an owner who cannot sign in, an issuer that does not answer, an
// operator without an account, a name that is no setting.
func TestDoctorOnSettingsThatAreAccepted(t *testing.T) { // not parallel: commands read the environment
	_, address := testkit.DB(t)
	t.Setenv("ARPENT_DATABASE_URL", address)
	t.Setenv("ARPENT_STATE_DIR", t.TempDir())
	t.Setenv("ARPENT_BASE_URL", "http://api.example.org")
	owner := testkit.Must(url.Parse(address))(t)
	owner.User = url.UserPassword("no_such_user", "hidden")
	t.Setenv("ARPENT_DATABASE_OWNER_URL", owner.String())
	t.Setenv("ARPENT_OIDC_ISSUER", "http://127.0.0.1:1")
	t.Setenv("ARPENT_OIDC_CLIENT_ID", "id")
	t.Setenv("ARPENT_OIDC_CLIENT_SECRET", "hidden")
	t.Setenv("ARPENT_OPERATORS", "op@example.org")
	out, _ := runArpent(t, "", "doctor")
	expectParts(t, out, "problem  configuration  production mode, http://api.example.org",
		"set ARPENT_BASE_URL to the https address",
		"problem  database owner cannot sign in", "ARPENT_DATABASE_OWNER_URL", "problem  sign-in        oidc: ",
		"ARPENT_OIDC_ISSUER",
		"problem  operators      no account: op@example.org", "arpent account create --email",
		"problem  legal pages")
	if strings.Contains(out, "hidden") {
		t.Errorf("a password is shown:\n%s", out)
	}
	t.Setenv("ARPENT_DATABASE_OWNER_URL", address)
	t.Setenv("ARPENT_OIDC_CLIENT_ID", "")
	t.Setenv("ARPENT_OIDC_CLIENT_SECRET", "")
	mustRun(t, "account", "create", "--email", "op@example.org", "--plan", "free")
	t.Setenv("ARPENT_BASEURL", "https://api.example.org")
	out, _ = runArpent(t, "", "doctor")
	expectParts(t, out, "problem  configuration  no such setting: ARPENT_BASEURL",
		"ok       database owner may migrate and load",
		"problem  operators      address not confirmed: op@example.org")
	if _, err := runArpent(t, "", "serve"); err == nil ||
		!strings.Contains(err.Error(), "no such setting: ARPENT_BASEURL") {
		t.Errorf("the server starts: %v", err)
	}
}

// newServerFolder has commands use a database and a state folder of the test's own.
func newServerFolder(t *testing.T) (pool *pgxpool.Pool, dir string) {
	t.Helper()
	pool, url := testkit.DB(t)
	dir = t.TempDir()
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_STATE_DIR", dir)
	return pool, dir
}

// expectDoctor expects parts of what the doctor says, who may find something else too.
func expectDoctor(t *testing.T, want ...string) {
	t.Helper()
	out, _ := runArpent(t, "", "doctor")
	expectParts(t, out, want...)
}

// An operator reads which accounts cannot sign in because another account has their address in its form of
// today, and gives one of them another address.
func TestDoctorOnAddressesOfAccounts(t *testing.T) { // not parallel: commands read the environment
	pool, _ := newServerFolder(t)
	expectDoctor(t, "ok       accounts       all addresses")
	mustRun(t, "account", "create", "--email", "luc@exämple.fr", "--plan", "free")
	var id int64
	testkit.NoError(t, pool.QueryRow(t.Context(), `INSERT INTO account.account (email, created_at, updated_at) VALUES ('luc@exämple.fr', now(), now()) RETURNING id`).Scan(&id))
	expectDoctor(t, "problem  accounts", "luc@exämple.fr, which is the address luc@xn--exmple-cua.fr of account", "arpent account address")
	number := strconv.FormatInt(id, 10)
	if _, err := runArpent(t, "", "account", "address", "--account", number, "--email", "luc@exämple.fr"); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("the address of another account: %v", err)
	}
	expectParts(t, mustRun(t, "account", "address", "--account", number, "--email", "Luc@Exemple.fr"), "account "+number+": luc@exemple.fr, not confirmed", "/signup/sent")
	expectDoctor(t, "ok       accounts       all addresses")
}

// An operator sees before the customers do that addresses cannot be
// found, or not those that were loaded last.
func TestDoctorOnAddresses(t *testing.T) { // not parallel: commands read the environment
	pool, dir := newServerFolder(t)
	load := func(sql, checksum string) {
		t.Helper()
		const row = `INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
VALUES ('cog-communes', '', '', '', '[]', '`
		testkit.Exec(t, pool, "UPDATE geo.load SET active = false;"+sql+row+checksum+"', 1, 0, '[]', now(), now(), true)")
	}
	expectDoctor(t, "problem  addresses      no index", "answer 503", "arpent index")
	expectParts(t, mustRun(t, "index"), "nothing to find", "arpent load")
	expectDoctor(t, "problem  addresses      nothing can be found", "run arpent load")
	load(`INSERT INTO geo.departement (code, name) VALUES ('93', 'Seine-Saint-Denis');
INSERT INTO geo.commune (type, code, name, departement_code, commune_code) VALUES ('commune-actuelle', '93010', 'Bondy', '93', '93010');`, "first")
	expectDoctor(t, "problem  addresses      the index in "+dir+" is older than what is loaded", "arpent index")
	expectParts(t, mustRun(t, "index"), "0 streets and localities, 2 places")
	expectDoctor(t, "ok       addresses      the index in "+dir+" is up to date: 0 streets and localities, 2 places")
	load("", "second")
	expectDoctor(t, "older than what is loaded: 0 streets and localities, 2 places")
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "addresses.index"), []byte("no index"), 0o600))
	expectDoctor(t, "problem  addresses      no index")
	expectParts(t, mustRun(t, "index"), "2 places")
	expectDoctor(t, "ok       addresses")
}

// An operator reads that statistics are not served, or not those that
// were loaded last, and what to do about it.
func TestDoctorOnStatistics(t *testing.T) { // not parallel: commands read the environment
	pool, dir := newServerFolder(t)
	load := func(source, sql string) {
		t.Helper()
		testkit.Exec(t, pool, sql+`INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused,
started_at, loaded_at, active) VALUES ('`+source+`', '', '', '', '[]', 'x', 1, 0, '[]', now(), now(), true)`)
	}
	expectDoctor(t, "problem  statistics     no snapshot of them in "+dir, "answers 503 until it is made", "run arpent index statistics")
	expectParts(t, mustRun(t, "index", "statistics"), "of nothing")
	expectDoctor(t, "problem  statistics     of nothing", "run arpent load")
	load("cog-communes", `INSERT INTO geo.departement (code, name) VALUES ('93', 'Seine-Saint-Denis');
INSERT INTO geo.commune (type, code, name, departement_code, commune_code) VALUES ('commune-actuelle', '93010', 'Bondy', '93', '93010');`)
	expectDoctor(t, "problem  statistics     the snapshot in "+dir+" is older than what is loaded", "run arpent index statistics")
	expectParts(t, mustRun(t, "index", "statistics"), "0 of 36 keys known of some of 1 communes")
	expectDoctor(t, "ok       statistics     the snapshot in "+dir+" is up to date: 0 of 36 keys")
	load("population-history", `INSERT INTO geo.stat_value (part, level, code, measure, period, value, status)
VALUES ('population-history', 'commune', '93010', 'population.municipal', '2021', 54000, 'ok');`)
	expectDoctor(t, "older than what is loaded")
	expectParts(t, mustRun(t, "index", "statistics"), "keys known of some of 1 communes")
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "statistics.book"), []byte("not a snapshot"), 0o600))
	expectDoctor(t, "problem  statistics     no snapshot")
}

// An operator reads that there is no file of parcels, or that it is one of before, and what to do about it.
func TestDoctorOnParcels(t *testing.T) { // not parallel: commands read the environment
	pool, dir := newServerFolder(t)
	expectDoctor(t, "problem  parcels        no file of them in "+dir, "parcels and reports answer 503 until it is built", "run arpent index parcels")
	expectParts(t, mustRun(t, "index", "parcels"), "none: no cadastre is loaded")
	expectDoctor(t, "ok       parcels        the file in "+dir+" is up to date: none")
	testkit.Exec(t, pool, `INSERT INTO geo.parcelle (idu, geom) VALUES
	('930100000A0001', 'SRID=4326;MULTIPOLYGON(((2.51 48.91,2.511 48.91,2.511 48.911,2.51 48.911,2.51 48.91)))');
WITH l AS (INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
	VALUES ('parcelles-etalab', '', '', '', '[]', 'x', 1, 0, '[]', now(), now(), true) RETURNING id)
INSERT INTO geo.parcelle_commune (code, load_id) SELECT '93010', id FROM l`)
	expectDoctor(t, "problem  parcels        the file in "+dir+" is older than what is loaded", "run arpent index parcels")
	expectParts(t, mustRun(t, "index", "parcels"), "1 in 1 communes")
	expectDoctor(t, "ok       parcels        the file in "+dir+" is up to date: 1 in 1 communes")
}

// Building or checking the parcels file in another folder needs no database.
func TestParcelsCommand(t *testing.T) { // not parallel: commands read the environment
	pool, dir := newServerFolder(t)
	testkit.Exec(t, pool, fixture.Territory)
	mustRun(t, "index", "parcels")
	t.Setenv("ARPENT_DATABASE_URL", "postgres://127.0.0.1:1/none")
	expectParts(t, mustRun(t, "parcels", "verify"), "3 parcels in 2 communes and 1 that are gone")
	expectParts(t, mustRun(t, "parcels", "export"), `{"type":"Feature","id":"75118000AB0003","properties":{"idu":"75118000AB0003","section":"AB",`,
		`"vintage":"2025-01-01"},"geometry":{"type":"Polygon","coordinates":[[[2.31,48.81],`)
	path := filepath.Join(dir, "parcels.index")
	body := testkit.Must(os.ReadFile(path))(t)
	body[len(body)/2] ^= 1
	testkit.NoError(t, os.WriteFile(path, body, 0o600))
	for _, command := range []string{"verify", "export"} {
		if out, err := runArpent(t, "", "parcels", command); err == nil || !strings.Contains(err.Error(), "run arpent index parcels") {
			t.Errorf("%s of a damaged file: %s (%v)", command, out, err)
		}
	}
}

// The doctor says whether plans can be bought, and the way out of a refused key, of a price that is not
// there, and of each setting at Stripe that its API shows to be wrong.
func TestExamineStripe(t *testing.T) {
	t.Parallel()
	sim := stripesim.ForTest(t, stripesim.Options{NoMock: true})
	good := config.Config{StripeKey: stripesim.DefaultKey, StripeURL: sim.URL(), StripePrices: stripesim.PriceLists(), BaseURL: "https://arpent.example"}
	sim.SetWebhook(good.BaseURL+"/webhooks/stripe", stripesim.DefaultWebhookSecret)
	// found is the finding of a subject, as it is printed.
	found := func(c config.Config, subject string) string {
		t.Helper()
		for _, f := range examineStripe(t.Context(), c) {
			if f.subject == subject {
				var b strings.Builder
				printFinding(&b, f)
				return b.String()
			}
		}
		return ""
	}
	for _, subject := range []string{"stripe", "stripe webhook", "stripe tax"} {
		if out := found(good, subject); !strings.HasPrefix(out, "ok ") {
			t.Errorf("%s: %s", subject, out)
		}
	}
	expectParts(t, found(config.Config{}, "stripe"), "ok ", "not available")
	rehearsal := good
	rehearsal.Mode = config.Production
	expectParts(t, found(rehearsal, "stripe key"), "problem", "operators alone can buy", "live mode")
	wrong := good
	wrong.StripePrices = map[string][]string{"standard": {"price_none"}, "pro": {stripesim.ProPrice}}
	expectParts(t, found(wrong, "stripe"), "problem", "ARPENT_STRIPE_PRICE_", "price_none")
	byYear := good
	byYear.StripeYearlyPrices = stripesim.YearlyPriceLists()
	if out := found(byYear, "stripe"); !strings.HasPrefix(out, "ok ") {
		t.Error(out)
	}
	byYear.StripeYearlyPrices = map[string][]string{"standard": {stripesim.StandardYearlyPrice}, "pro": {"price_monthly"}}
	sim.SetPrice(stripesim.Price{ID: "price_monthly", Name: "Pro", Cents: 79000, Currency: "eur", Interval: "month", TaxBehavior: "exclusive", Active: true})
	expectParts(t, found(byYear, "stripe"), "problem", "the yearly price of the pro plan (price_monthly) is paid every 1 month instead of yearly")
	former := good
	former.StripePrices = map[string][]string{"standard": {stripesim.StandardPrice, stripesim.StandardYearlyPrice}, "pro": {stripesim.ProPrice}}
	expectParts(t, found(former, "stripe"), "problem", "the price of the standard plan ("+stripesim.StandardYearlyPrice+") is paid every 1 year instead of monthly")

	sim.SetEndpoints(stripesim.Endpoint{URL: "https://another.example/webhooks/stripe", Events: []string{"*"}})
	expectParts(t, found(good, "stripe webhook"), "problem", "no endpoint sends events to https://arpent.example/webhooks/stripe", "docs/stripe.md, step 6")
	sim.SetEndpoints(stripesim.Endpoint{URL: good.BaseURL + "/webhooks/stripe", Events: []string{"invoice.paid"}, APIVersion: "2024-06-20", Disabled: true})
	expectParts(t, found(good, "stripe webhook"), "problem", "is disabled", "2024-06-20 instead of "+stripesim.APIVersion, "lacks checkout.session.completed",
		"customer.tax_id.updated", "enable it", "make a new endpoint", "add the events")
	sim.SetTaxMissing("head_office")
	expectParts(t, found(good, "stripe tax"), "problem", "pending, without head_office", "docs/stripe.md, step 2")
	sim.Forbid("/v1/tax")
	expectParts(t, found(good, "stripe tax"), "problem", "403", "let the restricted key read tax settings")

	sim.RevokeKey(true)
	expectParts(t, found(good, "stripe"), "problem", "ARPENT_STRIPE_KEY")
	expectParts(t, found(rehearsal, "stripe key"), "problem", "operators alone can buy")
	if out := found(good, "stripe tax"); out != "" {
		t.Errorf("with a refused key: %s", out)
	}
}

// The operator of a public server reads in the log what its legal pages lack; a developer does not.
func TestStartNamesWhatLegalPagesLack(t *testing.T) {
	t.Parallel()
	for mode, wanted := range map[config.Mode]bool{config.Production: true, config.Development: false} {
		var out strings.Builder
		warnAboutLegal(slog.New(slog.NewTextHandler(&out, nil)), config.Config{Mode: mode, Publisher: config.Publisher{Name: "x"}})
		if said := strings.Contains(out.String(), "ARPENT_PUBLISHER_HOST"); said != wanted || strings.Contains(out.String(), "ARPENT_PUBLISHER_NAME") {
			t.Errorf("%s: %q", mode, out.String())
		}
	}
}
