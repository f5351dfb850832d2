package main // a command has nothing else to import it by

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/internal/clock"
)

// runArpent runs one command and gives what it prints on standard output.
func runArpent(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(strings.NewReader(stdin))
	root.SetOut(&out)
	root.SetErr(&out)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	out, err := runArpent(t, "", args...)
	if err != nil {
		t.Fatalf("arpent %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// An operator gives somebody a key with two commands, and every error says what to do about it.
func TestAccountAndKeyCommands(t *testing.T) { // not parallel: commands read the environment
	pool, url := testkit.DB(t)
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_MODE", "production")

	for _, c := range []struct{ stdin, args, want string }{
		{"", "account create --email me@exemple.fr --plan gold", "standard or pro"},
		{"short\n", "account create --email me@exemple.fr --password-stdin", "12 to 128 characters"},
		{"", "account create --email me", "not an e-mail address"},
		{"", "account create --email me@exemple.fr --language de", "the language must be fr or en"},
		{"", "key create --account me@exemple.fr --name x", "arpent account create --email me@exemple.fr"},
	} {
		if _, err := runArpent(t, c.stdin, strings.Fields(c.args)...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("arpent %s: %v, want %q", c.args, err, c.want)
		}
	}
	mustRun(t, "account", "create", "--email", "Me@exemple.fr", "--plan", "standard", "--language", "en")
	if testkit.Count(t, pool, `SELECT count(*) FROM account.account WHERE language = 'en'`) != 1 {
		t.Error("the account has another language than the one that was asked for")
	}
	if _, err := runArpent(t, "", "key", "create", "--account", "me@exemple.fr", "--name", "x"); err == nil ||
		!strings.Contains(err.Error(), "arpent account confirm --email me@exemple.fr") {
		t.Errorf("a key before the address is confirmed: %v", err)
	}
	expectParts(t, mustRun(t, "account", "confirm", "--email", "me@exemple.fr"), "me@exemple.fr: the address is confirmed")
	if out := mustRun(t, "account", "require-second-factor", "--email", "me@exemple.fr"); out != "me@exemple.fr: a second factor is required\n" {
		t.Errorf("require-second-factor: %q", out)
	}
	if out := mustRun(t, "account", "require-second-factor", "--email", "me@exemple.fr", "--optional"); out != "me@exemple.fr: a second factor is no longer required\n" {
		t.Errorf("require-second-factor --optional: %q", out)
	}
	if out := mustRun(t, "account", "sign-out", "--email", "me@exemple.fr"); out != "me@exemple.fr: 0 sessions ended\n" {
		t.Errorf("sign-out: %q", out)
	}
	secret := mustRun(t, "key", "create", "--account", "me@exemple.fr", "--name", "my key")
	if !regexp.MustCompile(`^arp_[0-9A-Za-z]{38}\n$`).MatchString(secret) {
		t.Errorf("key create prints more or less than a key")
	}
	mustRun(t, "account", "limits", "--email", "me@exemple.fr", "--per-day", "7", "--note", "test")
	expectParts(t, mustRun(t, "account", "list"), "ID  E-MAIL ", "1   me@exemple.fr ") // the log has the number alone
	expectParts(t, mustRun(t, "key", "revoke", "--account", "me@exemple.fr", "--name", "my key"), "gets a mail")

	var keys []map[string]any
	decodeJSON(t, mustRun(t, "key", "list", "--account", "me@exemple.fr", "--json"), &keys)
	if len(keys) != 1 || keys[0]["name"] != "my key" || keys[0]["prefix"] != secret[:8] || keys[0]["last4"] != secret[38:42] ||
		keys[0]["id"] == nil || keys[0]["created_at"] == nil || keys[0]["revoked_at"] == nil {
		t.Errorf("key list: %v", keys)
	}
	for range 2 {
		testkit.Exec(t, pool, `INSERT INTO account.refusal (account_id, key_id, met, "limit", minute, first_at, last_at, requests)
			SELECT account_id, id, 'minute', 10, date_trunc('minute', now()) - (SELECT count(*) FROM account.refusal) * interval '1 day', now(), now(), 7 FROM account.api_key LIMIT 1`)
	}
	var rejected []map[string]any
	decodeJSON(t, mustRun(t, "rejections", "--json"), &rejected)
	if len(rejected) != 1 || rejected[0]["email"] != "me@exemple.fr" || rejected[0]["met"] != "minute" || rejected[0]["requests"] != 7.0 {
		t.Errorf("rejections: %v", rejected) // those of yesterday are not of today
	}
	yesterday := (clock.Day(time.Now()) - 1).String()
	decodeJSON(t, mustRun(t, "rejections", "--account", "me@exemple.fr", "--day", yesterday, "--json"), &rejected)
	if len(rejected) != 1 || rejected[0]["key_name"] != "my key" || rejected[0]["met"] != "minute" || rejected[0]["requests"] != 7.0 {
		t.Errorf("rejections of the account yesterday: %v", rejected)
	}
	expectParts(t, mustRun(t, "rejections", "--account", "me@exemple.fr"), "FIRST (PARIS)", "  my key  minute  10     7")
	// The day that is asked for is one of Paris, and so are the times, whatever the zone of the machine.
	testkit.Exec(t, pool, `UPDATE account.refusal SET minute = $1, first_at = $1, last_at = $1
		WHERE minute = (SELECT min(minute) FROM account.refusal)`, (clock.Day(time.Now()) - 2).Start().Add(time.Hour/2))
	day := (clock.Day(time.Now()) - 2).String()
	expectParts(t, mustRun(t, "rejections", "--account", "me@exemple.fr", "--day", day), day+" 00:30:00  00:30:00")
	expectParts(t, mustRun(t, "rejections", "--day", day), "LAST (PARIS)", day+" 00:30:00")
	if _, err := runArpent(t, "", "rejections", "--day", "hier"); err == nil {
		t.Error("a day that is none is read")
	}
	var usage map[string]any
	decodeJSON(t, mustRun(t, "usage", "--account", "me@exemple.fr", "--json"), &usage)
	if usage["account"] != "me@exemple.fr" || usage["today"] != 0.0 || usage["quota"] != 7.0 {
		t.Errorf("usage: %v", usage)
	}
}

// An operator exports and deletes an account and mails a link for a lost second factor, each with a reason.
func TestAccountSupportCommands(t *testing.T) { // not parallel: commands read the environment
	pool, url := testkit.DB(t)
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_MODE", "production")
	mustRun(t, "account", "create", "--email", "me@exemple.fr", "--confirmed")
	for _, command := range []string{"export", "recover", "delete"} {
		if _, err := runArpent(t, "", "account", command, "--email", "me@exemple.fr"); err == nil || !strings.Contains(err.Error(), "reason") {
			t.Errorf("account %s without a reason: %v", command, err)
		}
	}
	if _, err := runArpent(t, "", "account", "recover", "--email", "me@exemple.fr", "--reason", "ticket 1"); err == nil ||
		!strings.Contains(err.Error(), "no second factor") {
		t.Errorf("recover without a second factor: %v", err)
	}
	testkit.Exec(t, pool, `UPDATE account.account SET totp_sealed = 'x', totp_enabled_at = now()`)
	expectParts(t, mustRun(t, "account", "recover", "--email", "me@exemple.fr", "--reason", "ticket 1"), "a link was mailed", "24 hours",
		"three days after it was followed")
	expectParts(t, mustRun(t, "account", "recover", "--cancel", "--email", "me@exemple.fr", "--reason", "ticket 2"),
		"stays on")
	var document map[string]any
	decodeJSON(t, mustRun(t, "account", "export", "--email", "me@exemple.fr", "--reason", "ticket 1"), &document)
	if document["account"].(map[string]any)["email"] != "me@exemple.fr" {
		t.Errorf("export %v", document)
	}
	testkit.Exec(t, pool, `INSERT INTO account.subscription (account_id, customer_id, updated_at) SELECT id, 'cus_1', now() FROM account.account`)
	if _, err := runArpent(t, "", "account", "delete", "--email", "me@exemple.fr", "--reason", "ticket 1"); err == nil ||
		!strings.Contains(err.Error(), "ARPENT_STRIPE_KEY") {
		t.Errorf("delete without the key of Stripe: %v", err)
	}
	testkit.Exec(t, pool, `DELETE FROM account.subscription`)
	if out := mustRun(t, "account", "delete", "--email", "me@exemple.fr", "--reason", "ticket 1"); out != "me@exemple.fr: account 1 deleted; its owner gets a mail\n" {
		t.Errorf("delete: %q", out)
	}
	testkit.WantCount(t, pool, 0, "accounts are left", `SELECT count(*) FROM account.account`)
}

func decodeJSON(t *testing.T, text string, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
}

// An operator reaches an organisation by its number in every command about accounts, reads its members, and
// appoints an owner where the only one is gone, with a reason on record.
func TestOrganisationCommands(t *testing.T) { // not parallel: commands read the environment
	pool, url := testkit.DB(t)
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_MODE", "production")
	for _, email := range []string{"jeanne@exemple.fr", "paul@exemple.fr"} {
		mustRun(t, "account", "create", "--email", email, "--confirmed")
	}
	testkit.Exec(t, pool, `
		WITH o AS (INSERT INTO account.account (kind, name, email, contact_email, email_confirmed_at, created_at, updated_at)
			VALUES ('organisation', 'Alpha', 'x@organisation.invalid', 'jeanne@exemple.fr', now(), now(), now()) RETURNING id)
		INSERT INTO account.member (account_id, person_id, role, created_at)
		SELECT o.id, a.id, 'reader', now() FROM o, account.account a WHERE a.email = 'jeanne@exemple.fr'`)
	number := strconv.Itoa(testkit.Count(t, pool, `SELECT id FROM account.account WHERE name = 'Alpha'`))
	person := strconv.Itoa(testkit.Count(t, pool, `SELECT id FROM account.account WHERE email = 'jeanne@exemple.fr'`))
	for command, want := range map[string]string{
		"account list":                             "Alpha",
		"account plan --plan pro --account":        "Alpha · jeanne@exemple.fr: pro plan",
		"account limits --per-day 7 --account":     "7 a day",
		"account export --reason ticket --account": `"jeanne@exemple.fr"`,
		"key create --name ingest --account":       "arp_",
		"key list --account":                       "",
		"usage --account":                          "",
		"audit --account":                          "",
		"rejections --account":                     "",
		"organisation members":                     "reader",
	} {
		args := strings.Fields(command)
		if command != "account list" {
			args = append(args, number)
		}
		if out := mustRun(t, args...); !strings.Contains(out, want) {
			t.Errorf("arpent %s:\n%s", strings.Join(args, " "), out)
		}
	}
	if n := testkit.Count(t, pool, `SELECT count(*) FROM account.account WHERE plan = 'pro' AND per_day = 7 AND name = 'Alpha'`); n != 1 {
		t.Error("plan and limits are not those of the organisation")
	}
	mustRun(t, "organisation", "appoint-owner", number, "--email", "Paul@exemple.fr", "--reason", "ticket 12")
	if n := testkit.Count(t, pool, `SELECT count(*) FROM account.audit WHERE account_id = $1 AND actor = 'operator' AND detail->>'reason' = 'ticket 12'
		AND detail->>'email' = 'paul@exemple.fr'`, number); n != 1 {
		t.Error("the appointment is not on record")
	}
	if n := testkit.Count(t, pool, `SELECT count(*) FROM account.member WHERE account_id = $1 AND role = 'owner'`, number); n != 1 {
		t.Errorf("%d owners", n)
	}
	if mails := testkit.Mails(t, pool); len(mails) == 0 || mails[len(mails)-1].To != "paul@exemple.fr" {
		t.Errorf("mails %+v", mails)
	}
	for args, want := range map[string]string{
		"organisation members " + person: "is that of a person", "organisation members x": "not the number", "organisation members 99": "no such account",
		"organisation appoint-owner " + number + " --email no@exemple.fr --reason x": "no person with this address",
		"account recover --reason x --account " + number:                             "is an organisation: name one of its members",
		"account sign-out --account " + number:                                       "is an organisation: name one of its members",
		"account plan --plan pro":                                                    "at least one of the flags", "account plan --plan pro --email a@b.fr --account 1": "none of the others can be",
	} {
		if _, err := runArpent(t, "", strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("arpent %s: %v, want %q", args, err, want)
		}
	}
}
