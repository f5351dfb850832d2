package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"arpent/internal/config"
)

// An operator sees every fault of the configuration at once, not one restart after the other.
func TestReadReportsAllFaults(t *testing.T) {
	t.Parallel()
	_, err := config.Read([]string{"PORT=nine", "ARPENT_MODE=prod", "ARPENT_BASE_URL=api.example.org",
		"ARPENT_TRUSTED_PROXIES=10.0.0.0/8,nonsense", "ARPENT_LOG_LEVEL=loud", "ARPENT_DATABASE_URL=mysql://u:hidden@h/d",
		"ARPENT_REDIS_URL=http://h", "ARPENT_DATABASE_CONNS=1", "ARPENT_REPORT_CONNS=-1", "ARPENT_METRICS_ADDR=9090",
		"ARPENT_OPERATORS=jeanne@exemple.fr,Paul <paul@exemple.fr>", "ARPENT_CONTACT_EMAIL=support"})
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{`PORT: is "nine"; expected 1 to 65535`, "ARPENT_MODE", "ARPENT_BASE_URL", "nonsense", "ARPENT_LOG_LEVEL",
		"ARPENT_DATABASE_URL", "ARPENT_REDIS_URL", "ARPENT_DATABASE_CONNS", "ARPENT_REPORT_CONNS", "ARPENT_METRICS_ADDR", "ARPENT_OPERATORS", "ARPENT_CONTACT_EMAIL"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name %s: %v", name, err)
		}
	}
	if strings.Contains(err.Error(), "hidden") {
		t.Errorf("the error shows a password: %v", err)
	}
}

// A value of another type is reported by the name of its setting and the values that it takes.
func TestReadNamesSettingOfWrongType(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		"PORT=99999":                              `PORT: is "99999"; expected 1 to 65535`,
		"ARPENT_DATABASE_CONNS=many":              `ARPENT_DATABASE_CONNS: is "many"; expected a whole number`,
		"ARPENT_OIDC_PKCE=maybe":                  `ARPENT_OIDC_PKCE: is "maybe"; expected true or false`,
		"ARPENT_STRIPE_WEBHOOK_SECRET_FILE=/none": "ARPENT_STRIPE_WEBHOOK_SECRET_FILE: open /none",
	} {
		_, err := config.Read([]string{setting})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "parse error") {
			t.Errorf("%s: %v", setting, err)
		}
		name, _, _ := strings.Cut(setting, "=")
		if n := strings.Count(fmt.Sprint(err), name+": "); n != 1 {
			t.Errorf("%s is named %d times: %v", name, n, err)
		}
	}
}

// A plan is not sold by the year without the plans above it: a customer who pays for a year goes to no months
// before it is over, and could not go higher.
func TestYearNeedsYearOfHigherPlan(t *testing.T) {
	t.Parallel()
	env := []string{"ARPENT_STRIPE_KEY=sk_test_1", "ARPENT_STRIPE_WEBHOOK_SECRET=whsec_1", "ARPENT_STRIPE_PRICE_STANDARD=a",
		"ARPENT_STRIPE_PRICE_PRO=b", "ARPENT_STRIPE_PRICE_STANDARD_YEARLY=c"}
	_, err := config.Read(env, "standard", "pro")
	if err == nil || !strings.Contains(err.Error(), "ARPENT_STRIPE_PRICE_PRO_YEARLY: is missing") {
		t.Errorf("Standard alone: %v", err)
	}
	if _, err := config.Read(append(env, "ARPENT_STRIPE_PRICE_PRO_YEARLY=d"), "standard", "pro"); err != nil {
		t.Errorf("both: %v", err)
	}
	env[4] = "ARPENT_STRIPE_PRICE_PRO_YEARLY=d"
	if _, err := config.Read(env, "standard", "pro"); err != nil {
		t.Errorf("the highest plan alone: %v", err)
	}
}

// Everything works when nothing is set.
func TestReadDefaults(t *testing.T) {
	t.Parallel()
	c, err := config.Read(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.BaseURL != "http://127.0.0.1:8080" || c.Mode != config.Production || c.ServiceName != "Arpent" {
		t.Errorf("defaults: %+v", c)
	}
	c, err = config.Read([]string{"PORT=9000", "ARPENT_MODE=development", "ARPENT_BASE_URL="})
	if err != nil {
		t.Fatal(err)
	}
	if c.BaseURL != "http://127.0.0.1:9000" || c.Host != "127.0.0.1" {
		t.Errorf("development on another port: %+v", c)
	}
}

// Operators are compared with addresses as accounts keep them, and a comma too many adds no operator.
func TestOperators(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{"": nil, ",": nil, " Jeanne@Exemple.FR, paul@exemple.fr,": {"jeanne@exemple.fr", "paul@exemple.fr"}} {
		c, err := config.Read([]string{"ARPENT_OPERATORS=" + text})
		if err != nil || !slices.Equal(c.Operators, want) {
			t.Errorf("%q: %q, %v", text, c.Operators, err)
		}
	}
}

// An address that could not work is refused at the start, with the
// setting's name and without the password in it.
func TestReadChecksAddresses(t *testing.T) {
	t.Parallel()
	for setting, good := range map[string]bool{
		"ARPENT_METRICS_ADDR=127.0.0.1:9090":                     true,
		"ARPENT_METRICS_ADDR=:9090":                              true,
		"ARPENT_METRICS_ADDR=[::1]:9090":                         true,
		"ARPENT_METRICS_ADDR=9090":                               false,
		"ARPENT_METRICS_ADDR=localhost":                          false,
		"ARPENT_METRICS_ADDR=localhost:":                         false,
		"ARPENT_METRICS_ADDR=localhost:0":                        false,
		"ARPENT_METRICS_ADDR=localhost:65536":                    false,
		"ARPENT_DATABASE_URL=postgres://u:hidden@h:5432/d":       true,
		"ARPENT_DATABASE_URL=postgres://u@/d?host=/run/pg":       true,
		"ARPENT_DATABASE_URL=postgres://u:hid/hidden@h/d":        false,
		"ARPENT_DATABASE_URL=postgres://u:hidden@h:port/d":       false,
		"ARPENT_DATABASE_URL=postgres://u:hidden@h/d?sslmode=x":  false,
		"ARPENT_DATABASE_URL=host=h password=hidden":             false,
		"ARPENT_DATABASE_URL=mysql://u:hidden@h/d":               false,
		"ARPENT_DATABASE_READ_URLS=postgres://u:hidden@h/d":      false, // of which database?
		"ARPENT_REDIS_URL=redis://:hidden@h:6379/1":              true,
		"ARPENT_REDIS_URL=rediss://h":                            true,
		"ARPENT_REDIS_URL=unix:///run/redis.sock":                true,
		"ARPENT_REDIS_URL=redis://:hidden@h/first":               false,
		"ARPENT_REDIS_URL=redis://:hid#hidden@h":                 false,
		"ARPENT_REDIS_URL=redis://:hidden@h?dial_timeout=x":      false,
		"ARPENT_REDIS_URL=unix://":                               false,
		"ARPENT_REDIS_URL=redis://:hidden@h:1?addr=i:1&addr=j:1": true,
		"ARPENT_REDIS_URL=redis://:hidden@h:1?adr=i:1":           false,
		"ARPENT_REDIS_URL=redis://:hidden@h:1?addr=i:1&wait=x":   false,
	} {
		_, err := config.Read([]string{setting})
		name, _, _ := strings.Cut(setting, "=")
		switch {
		case good && err != nil:
			t.Errorf("%s: %v", setting, err)
		case !good && (err == nil || !strings.Contains(err.Error(), name)):
			t.Errorf("%s: got %v", setting, err)
		case err != nil && strings.Contains(err.Error(), "hid"):
			t.Errorf("the error shows a password: %v", err)
		}
	}
}

// A secret never reaches a log, however the configuration is printed.
func TestSecretHidesItself(t *testing.T) {
	t.Parallel()
	c, err := config.Read([]string{"ARPENT_DATABASE_URL=postgres://u:hidden@h/d", "ARPENT_REDIS_URL=redis://:hidden@h"})
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		printed[verb] = fmt.Sprintf(verb, c)
	}
	plain, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var text, lines bytes.Buffer
	slog.New(slog.NewTextHandler(&text, nil)).Info("read", "config", c, "database", c.DatabaseURL)
	slog.New(slog.NewJSONHandler(&lines, nil)).Info("read", "config", c, "database", c.DatabaseURL)
	printed["json"], printed["text log"], printed["JSON log"] = string(plain), text.String(), lines.String()
	for how, s := range printed {
		if strings.Contains(s, "hidden") || !strings.Contains(s, "[secret]") {
			t.Errorf("%s: %s", how, s)
		}
	}
}

// A public server without a publisher is reported, setting by setting; a complete one is not.
func TestMissingLegal(t *testing.T) {
	t.Parallel()
	full := []string{"ARPENT_PUBLISHER_NAME=a", "ARPENT_PUBLISHER_ADDRESS=b", "ARPENT_PUBLISHER_PHONE=c", "ARPENT_PUBLISHER_DIRECTOR=d",
		"ARPENT_PUBLISHER_HOST=e", "ARPENT_PUBLISHER_LOG_DAYS=30", "ARPENT_CONTACT_EMAIL=f@example.org"}
	c, err := config.Read(full)
	if err != nil || len(c.MissingLegal()) != 0 {
		t.Errorf("a complete configuration lacks %q, %v", c.MissingLegal(), err)
	}
	for i, setting := range full {
		c, err := config.Read(slices.Delete(slices.Clone(full), i, i+1))
		name, _, _ := strings.Cut(setting, "=")
		if missing := c.MissingLegal(); err != nil || len(missing) != 1 || missing[0] != name {
			t.Errorf("without %s %q is missing, %v", name, missing, err)
		}
	}
	if _, err := config.Read([]string{"ARPENT_PUBLISHER_LOG_DAYS=-1"}); err == nil {
		t.Error("a negative number of days is accepted")
	}
}

// A production server with a test key would give its plans to any visitor who knows the number of a test
// card.
func TestRehearsesSales(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{"sk_test_a": true, "rk_test_a": true, "sk_live_a": false,
		"rk_live_a": false, "": false} {
		if got := (config.Config{Mode: config.Production, StripeKey: config.Secret(key)}).RehearsesSales(); got != want {
			t.Errorf("%q in production: %t", key, got)
		}
		if (config.Config{Mode: config.Development, StripeKey: config.Secret(key)}).RehearsesSales() {
			t.Errorf("%q in development is a rehearsal", key)
		}
	}
}
