package main // a command has nothing else to import it by

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/management"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/config"
	"arpent/internal/mail"
)

// An operator does with a key what its owner can do in the portal, and sees what was done.
func TestKeyChangeCommands(t *testing.T) { // not parallel: commands read the environment
	_, url := testkit.DB(t)
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_MODE", "production")
	mustRun(t, "account", "create", "--email", "me@exemple.fr", "--confirmed")
	first := mustRun(t, "key", "create", "--account", "me@exemple.fr", "--name", "prod", "--per-day", "50", "--networks", "192.0.2.7, 2001:db8::/32", "--expires-in", "720h")
	second := mustRun(t, "key", "rotate", "--account", "me@exemple.fr", "--name", "Prod", "--overlap", "1h")
	if !regexp.MustCompile(`^arp_[0-9A-Za-z]{38}\n$`).MatchString(second) || second == first {
		t.Error("key rotate prints more or less than a key")
	}
	mustRun(t, "key", "pause", "--account", "me@exemple.fr", "--name", "prod (old)")
	var keys []map[string]any
	decodeJSON(t, mustRun(t, "key", "list", "--account", "me@exemple.fr", "--json"), &keys)
	if len(keys) != 2 {
		t.Fatalf("key list: %v", keys)
	}
	old, fresh := keys[0], keys[1]
	if old["name"] != "prod (old)" || old["paused_at"] == nil || old["expires_at"] == fresh["expires_at"] {
		t.Errorf("the old key: %v", old)
	}
	if fresh["name"] != "prod" || fresh["replaces"] != old["id"] || fresh["per_day"] != 50.0 || len(fresh["networks"].([]any)) != 2 || fresh["expires_at"] == nil {
		t.Errorf("the new key: %v", fresh)
	}
	text := mustRun(t, "key", "list", "--account", "me@exemple.fr")
	for _, want := range []string{"paused", "50 per day", "192.0.2.7/32", "replaces 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("key list does not say %q:\n%s", want, text)
		}
	}
	if out := mustRun(t, "key", "resume", "--account", "me@exemple.fr", "--id", "1"); out != "Key 1 (prod (old)) resumed\n" {
		t.Errorf("key resume: %q", out)
	}
	mustRun(t, "key", "revoke", "--account", "me@exemple.fr", "--id", "1")
	var events []map[string]any
	decodeJSON(t, mustRun(t, "audit", "--account", "me@exemple.fr", "--json"), &events)
	var did []string
	for _, e := range events {
		did = append(did, e["actor"].(string)+" "+e["action"].(string))
	}
	if got, want := strings.Join(did, ", "), "operator key_revoked, operator key_resumed, operator key_paused, operator key_rotated, operator key_created"; got != want {
		t.Errorf("the owner sees %s, want %s", got, want)
	}
	for args, want := range map[string]string{
		"key pause --account me@exemple.fr --id 1":                              "arpent key list --account me@exemple.fr",
		"key rotate --account me@exemple.fr --name gone":                        "arpent key list --account me@exemple.fr",
		"key rotate --account me@exemple.fr --name prod --overlap 2h":           "1 hour, 24 hours or 7 days",
		"key create --account me@exemple.fr --name x --networks 1.2.3":          "neither an IP address nor a CIDR range",
		"key create --account me@exemple.fr --name x --per-day 0":               "1 to 1000000000 requests a day",
		"key pause --account unknown@exemple.fr --name prod":                    "arpent account create",
		"key pause --account me@exemple.fr":                                     "[name id]",
		"key create --account me@exemple.fr --name prod --networks 203.0.113.1": "live key of that name",
	} {
		if _, err := runArpent(t, "", strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("arpent %s: %v, want %q", args, err, want)
		}
	}
}

// An operator who is sent a leaked key finds its account by all of the key, by what pages show of it and by
// its hash, and its owner gets a mail when it is revoked. A whole key is never an argument.
func TestFindLeakedKey(t *testing.T) { // not parallel: commands read the environment
	pool, url := testkit.DB(t)
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_MODE", "production")
	mustRun(t, "account", "create", "--email", "you@exemple.fr", "--confirmed")
	mustRun(t, "key", "create", "--account", "you@exemple.fr", "--name", "other")
	mustRun(t, "account", "create", "--email", "me@exemple.fr", "--confirmed", "--language", "en")
	key := strings.TrimSpace(mustRun(t, "key", "create", "--account", "me@exemple.fr", "--name", "prod"))
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(key)))
	for _, by := range []struct{ stdin, flag string }{{key + "\n", ""}, {"", key[:8]}, {"", key[:8] + "…" + key[38:]}, {"", hash}, {key[:20], ""}} {
		args := []string{"key", "find", "--json"}
		if by.flag != "" {
			args = append(args, "--by", by.flag)
		}
		out, err := runArpent(t, by.stdin, args...)
		if err != nil {
			t.Errorf("%+v: %v", by, err)
			continue
		}
		var found []map[string]any
		decodeJSON(t, out, &found)
		if len(found) != 1 || found[0]["email"] != "me@exemple.fr" || found[0]["name"] != "prod" || found[0]["state"] != "live" {
			t.Errorf("%+v: %v", by, found)
		}
	}
	for stdin, want := range map[string]string{"arp_": "first 8 characters", "x": "first 8 characters", "arp_0000": "no account has this key"} {
		if _, err := runArpent(t, stdin, "key", "find"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("key find of %q: %v", stdin, err)
		}
	}
	if _, err := runArpent(t, "", "key", "find", "--by", key); err == nil || strings.Contains(err.Error(), key) ||
		!strings.Contains(err.Error(), "standard input") {
		t.Errorf("a key as an argument: %v", err)
	}
	// So is a management token.
	account := testkit.Must(auth.NewAccounts(pool, clock.Real{}).ByEmail(t.Context(), "me@exemple.fr"))(t)
	as := audit.With(t.Context(), audit.Actor{Kind: audit.ActorAccount, Person: account.ID})
	_, token, err := management.NewStore(pool, clock.Real{}).Create(as, account.ID, management.NewToken{Name: "tableau", Scopes: management.Scopes, Days: 30})
	testkit.NoError(t, err)
	for _, args := range [][]string{{"key", "find", "--json"}, {"key", "find", "--json", "--by", fmt.Sprintf("%x", sha256.Sum256([]byte(token)))}} {
		out := testkit.Must(runArpent(t, token+"\n", args...))(t)
		var found []map[string]any
		decodeJSON(t, out, &found)
		if len(found) != 1 || found[0]["email"] != "me@exemple.fr" || found[0]["name"] != "tableau" || found[0]["state"] != "live" || found[0]["kind"] != "management_token" || strings.Contains(out, token) {
			t.Errorf("%s: %s", args, out)
		}
	}
	if _, err := runArpent(t, "", "key", "find", "--by", token); err == nil || strings.Contains(err.Error(), token) || !strings.Contains(err.Error(), "standard input") {
		t.Errorf("a management token as an argument: %v", err)
	}
	if _, err := pool.Exec(t.Context(), `DELETE FROM job.river_job`); err != nil { // the mail about the token
		t.Fatal(err)
	}
	mustRun(t, "key", "revoke", "--account", "me@exemple.fr", "--name", "prod")
	mails := testkit.Mails(t, pool)
	if len(mails) != 1 || mails[0].Template != mail.KeyRevokedByOperator || mails[0].To != "me@exemple.fr" ||
		mails[0].Language != "en" || mails[0].Values["name"] != "prod" {
		t.Errorf("mails %+v", mails)
	}
}

// What an operator sees of keys in the portal is what the command prints of them, and no more.
func TestOperatorsPageShowsWhatKeyListPrints(t *testing.T) { // not parallel: commands read the environment
	s := fixture.Portal(t, func(c *config.Config) { c.Operators = []string{"me@exemple.fr"} })
	t.Setenv("ARPENT_DATABASE_URL", s.URL)
	t.Setenv("ARPENT_MODE", "production")
	b := s.SignUp("me@exemple.fr")
	s.Exec(`UPDATE account.account SET totp_sealed = 'x', totp_enabled_at = now() - interval '1 minute'`)
	s.Exec(`UPDATE account.session SET authenticated_at = now()`)
	mustRun(t, "key", "create", "--account", "me@exemple.fr", "--name", "a", "--per-day", "50", "--refuse-in-query", "--expires-in", "720h")
	for _, name := range []string{"b", "c", "d"} {
		mustRun(t, "key", "create", "--account", "me@exemple.fr", "--name", name)
	}
	mustRun(t, "key", "pause", "--account", "me@exemple.fr", "--name", "b")
	mustRun(t, "key", "revoke", "--account", "me@exemple.fr", "--name", "c")
	s.Exec(`UPDATE account.api_key SET expires_at = now() - interval '1 hour', created_at = now() - interval '1 day', last_used_at = now(), request_count = 123 WHERE name = 'd'`)
	rows := b.Get("/admin/accounts/1?lang=en").Want(200).Find("table").First().Find("tbody tr")
	lines := strings.Split(strings.TrimSpace(mustRun(t, "key", "list", "--account", "me@exemple.fr")), "\n")[1:]
	if len(lines) != 4 || rows.Length() != 4 {
		t.Fatalf("%d keys printed, %d shown", len(lines), rows.Length())
	}
	for i, line := range lines {
		printed := regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(line), -1)
		name, cells := rows.Eq(i).Find("th span"), rows.Eq(i).Find("td")
		shown := []string{strings.TrimPrefix(name.Eq(1).Text(), "no. "), name.Eq(0).Text(), cells.Eq(0).Text(), cells.Eq(1).Text()}
		for n := 2; n <= 4; n++ { // created, expires, last used
			at, err := time.Parse(time.RFC3339, cells.Eq(n).Find("time").AttrOr("datetime", ""))
			if err != nil {
				shown = append(shown, strings.TrimSpace(cells.Eq(n).Text()))
				continue
			}
			shown = append(shown, at.Local().Format(time.DateTime))
		}
		shown = append(shown, cells.Eq(5).Text())
		if restrictions := name.Eq(2).Text(); restrictions != "" {
			shown = append(shown, restrictions)
		}
		shown[3] = strings.Replace(shown[3], "active", "live", 1) // the word of the pages, and of the API
		if !slices.Equal(printed, shown) {
			t.Errorf("printed %q, shown %q", printed, shown)
		}
	}
}
