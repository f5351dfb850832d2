// Package config reads the environment into one typed value, checks it whole and reports all faults together.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
)

// Mode distinguishes a developer's machine from a public server.
type Mode string

// The two modes. Development may start a private database and simulate what production never does.
const (
	Production  Mode = "production"
	Development Mode = "development"
)

// Secret is a setting that never prints itself.
type Secret string

// String hides the value.
func (Secret) String() string { return "[secret]" }

// GoString hides the value from %#v.
func (Secret) GoString() string { return "[secret]" }

// MarshalText hides the value from JSON and other encodings.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue hides the value from logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Reveal gives the value to the one place that needs it.
func (s Secret) Reveal() string { return string(s) }

// Config is everything an operator may set. Every setting works when absent.
type Config struct {
	Mode        Mode   `env:"ARPENT_MODE" envDefault:"production"`
	ServiceName string `env:"ARPENT_SERVICE_NAME" envDefault:"Arpent"`

	// address to listen on; default: all in production, 127.0.0.1 in development
	Host    string `env:"ARPENT_HOST"`
	Port    uint16 `env:"PORT" envDefault:"8080"`
	BaseURL string `env:"ARPENT_BASE_URL"` // public address, no trailing slash; default http://127.0.0.1:$PORT

	// host:port of the Prometheus listener; empty: off
	MetricsAddr string `env:"ARPENT_METRICS_ADDR"`
	// of traces: http(s) address of an OpenTelemetry collector; empty: no traces
	Collector string `env:"OTEL_EXPORTER_OTLP_ENDPOINT"`
	// addresses or CIDRs whose X-Forwarded-* is believed
	TrustedProxies []string `env:"ARPENT_TRUSTED_PROXIES" envSeparator:","`
	LogLevel       string   `env:"ARPENT_LOG_LEVEL" envDefault:"info"` // debug, info, warn, error
	// one of this many fast successes is a line of the log
	LogSuccesses int `env:"ARPENT_LOG_SUCCESSES" envDefault:"1"`
	// shown where people are asked to write to the operator
	ContactEmail string `env:"ARPENT_CONTACT_EMAIL"`
	// addresses of the accounts that get the pages /admin; empty: there are none
	Operators []string `env:"ARPENT_OPERATORS" envSeparator:","`
	// folder of further open-data files; empty: none
	DataDir     string `env:"ARPENT_DATA"`
	StateDir    string `env:"ARPENT_STATE_DIR" envDefault:"./.arpent"` // private cluster and downloads
	DatabaseURL Secret `env:"ARPENT_DATABASE_URL"`                     // empty: the private cluster
	// DatabaseOwnerURL is the same database for the user who migrates and loads, where that of
	// DatabaseURL may only serve; empty: DatabaseURL.
	DatabaseOwnerURL Secret `env:"ARPENT_DATABASE_OWNER_URL"`
	// DatabaseReadURLs are servers that the data is read from in place of DatabaseURL, while
	// they have what is loaded; see ReadURLs.
	DatabaseReadURLs Secret `env:"ARPENT_DATABASE_READ_URLS"`
	DatabaseConns    int32  `env:"ARPENT_DATABASE_CONNS" envDefault:"16"` // connections of one instance
	// further connections, for the reports of parcels alone; 0: one a core
	ReportConns int    `env:"ARPENT_REPORT_CONNS"`
	RedisURL    Secret `env:"ARPENT_REDIS_URL"` // empty: counters in process
	// asked in place of all producers of data; empty: the producers
	Mirror string `env:"ARPENT_MIRROR"`

	// hour and minute in Paris, "03:30", at which what was fetched is brought up to date; empty: never
	Update string `env:"ARPENT_UPDATE"`

	// seals second factors and links; see Secrets; empty: made once, kept in the state folder
	Secret Secret `env:"ARPENT_SECRET"`
	// smtp://user:password@host:587 (STARTTLS) or smtps://…; empty: no mail leaves
	SMTPURL  Secret `env:"ARPENT_SMTP_URL"`
	MailFrom string `env:"ARPENT_MAIL_FROM"` // sender of mails; default no-reply@ the host of the base URL

	// ClientDocuments lets an assistant name itself by the address of a document, which is then fetched: it
	// needs outgoing https. Without it assistants register, as all of them can.
	ClientDocuments bool `env:"ARPENT_CLIENT_DOCUMENTS"`

	StripeKey           Secret `env:"ARPENT_STRIPE_KEY"`            // empty: paid plans are not available
	StripeWebhookSecret Secret `env:"ARPENT_STRIPE_WEBHOOK_SECRET"` // of the endpoint /webhooks/stripe
	// development only: a simulator in Stripe's place
	StripeURL string `env:"ARPENT_STRIPE_URL"`

	// StripePrices are the price ids at Stripe by the name of the plan, of all
	// plans that are paid for; see PriceSetting.
	StripePrices map[string][]string
	// StripeYearlyPrices are the same for a year; see YearlyPriceSetting.
	StripeYearlyPrices map[string][]string
	// StripeReservePrice is the price at Stripe of one request of a reserve; empty: none is sold.
	StripeReservePrice string `env:"ARPENT_STRIPE_PRICE_RESERVE"`

	Publisher Publisher `envPrefix:"ARPENT_PUBLISHER_"`

	Google    Provider `envPrefix:"ARPENT_GOOGLE_"`
	GitHub    Provider `envPrefix:"ARPENT_GITHUB_"`
	Microsoft Provider `envPrefix:"ARPENT_MICROSOFT_"`
	GitLab    Provider `envPrefix:"ARPENT_GITLAB_"`
	OIDC      Provider `envPrefix:"ARPENT_OIDC_"`
}

// Publisher is who answers for a public server, as its legal pages
// name them. A page leaves out what is not set; see MissingLegal.
type Publisher struct {
	Name         string `env:"NAME"`    // with the legal form
	Address      string `env:"ADDRESS"` // postal, on one line
	Phone        string `env:"PHONE"`
	Registration string `env:"REGISTRATION"` // in a register of companies; empty: none is shown
	VAT          string `env:"VAT"`          // VAT number; empty: none is shown
	Director     string `env:"DIRECTOR"`     // director of publication
	Host         string `env:"HOST"`         // who hosts the server: name, address and phone
	LogDays      int    `env:"LOG_DAYS"`     // after which logs and backups are deleted
}

// MissingLegal are the settings without which the legal pages are incomplete.
func (c Config) MissingLegal() (names []string) {
	p := c.Publisher
	for _, s := range []struct {
		name    string
		missing bool
	}{
		{"ARPENT_PUBLISHER_NAME", p.Name == ""}, {"ARPENT_PUBLISHER_ADDRESS", p.Address == ""},
		{"ARPENT_PUBLISHER_PHONE", p.Phone == ""},
		{"ARPENT_PUBLISHER_DIRECTOR", p.Director == ""}, {"ARPENT_PUBLISHER_HOST", p.Host == ""},
		{"ARPENT_PUBLISHER_LOG_DAYS", p.LogDays == 0},
		{"ARPENT_PUBLISHER_VAT", p.VAT == "" && c.StripeKey != ""}, {"ARPENT_CONTACT_EMAIL", c.ContactEmail == ""},
	} {
		if s.missing {
			names = append(names, s.name)
		}
	}
	return names
}

// Provider is a third party that people sign in with. It is offered once it has a client id.
type Provider struct {
	ClientID     string `env:"CLIENT_ID"`
	ClientSecret Secret `env:"CLIENT_SECRET"`
	// OpenID Connect: address of the issuer; GitLab: of one's own server; Microsoft: the tenant
	Issuer string `env:"ISSUER"`
	Name   string `env:"NAME"`                   // OpenID Connect: what the button says
	PKCE   bool   `env:"PKCE" envDefault:"true"` // off for a provider that refuses the parameter
}

// On reports whether the provider is offered.
func (p Provider) On() bool { return p.ClientID != "" }

// Read parses and checks an environment, given as os.Environ gives it. A secret may be in a file instead,
// which the setting of the same name and _FILE names. Each of the plans that are paid for has a setting
// for its price. The error lists every fault.
func Read(environ []string, paidPlans ...string) (Config, error) {
	var c Config
	settings := env.ToMap(environ)
	faults := readFiles(settings, paidPlans)
	err := env.ParseWithOptions(&c, env.Options{Environment: settings})
	if err != nil {
		faults = append(faults, parseFaults(err, settings)...)
	}
	c.readPrices(settings, paidPlans)
	c.setDefaults()
	faults = appendUnnamed(faults, append(c.checkSettings(), c.checkStripe(paidPlans)...))
	if len(faults) > 0 {
		return Config{}, fmt.Errorf("configuration: %w", errors.Join(faults...))
	}
	return c, nil
}

// appendUnnamed appends the further faults of settings that faults does not name: the value of one that could
// not be read, from the environment or from its file, is not judged.
func appendUnnamed(faults, further []error) []error {
	named := map[string]bool{}
	for _, fault := range faults {
		name, _, _ := strings.Cut(fault.Error(), ":")
		named[strings.TrimSuffix(name, fileSuffix)] = true
	}
	return append(faults, slices.DeleteFunc(further, func(fault error) bool {
		name, _, _ := strings.Cut(fault.Error(), ":")
		return named[name]
	})...)
}

// parseFaults names the settings that are not of their type. The library names the fields.
func parseFaults(err error, settings map[string]string) []error {
	faults := []error{err}
	if all, ok := errors.AsType[env.AggregateError](err); ok {
		faults = all.Errors
	}
	for i, fault := range faults {
		field, ok := errors.AsType[env.ParseError](fault)
		if !ok {
			continue
		}
		wrong, ok := errors.AsType[*strconv.NumError](field.Err)
		if !ok {
			continue
		}
		named := func(f reflect.StructField) bool { return f.Name == field.Name }
		for _, name := range envNames(reflect.TypeFor[Config](), "", named) { // several: one of each provider
			if settings[name] == wrong.Num {
				faults[i] = fmt.Errorf("%s: is %q; expected %s", name, wrong.Num, describeType(field.Type))
			}
		}
	}
	return faults
}

// describeType says which values a setting of that type takes, before its own limits.
func describeType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Uint16:
		return "1 to 65535"
	}
	return "a whole number"
}

func (c *Config) setDefaults() {
	if c.Host == "" && c.Mode == Development {
		c.Host = "127.0.0.1"
	}
	c.BaseURL = cmp.Or(c.BaseURL, "http://127.0.0.1:"+strconv.Itoa(int(c.Port)))
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	c.Mirror = strings.TrimRight(c.Mirror, "/")
	c.Operators = slices.DeleteFunc(c.Operators, func(s string) bool { return strings.TrimSpace(s) == "" })
	for i, s := range c.Operators {
		c.Operators[i] = strings.ToLower(strings.TrimSpace(s)) // as accounts keep theirs
	}
	if c.MailFrom == "" {
		host := "localhost"
		if u, err := url.Parse(c.BaseURL); err == nil && u.Hostname() != "" {
			host = u.Hostname()
		}
		if _, err := netip.ParseAddr(host); err == nil {
			host = "localhost"
		}
		c.MailFrom = "no-reply@" + host
	}
}

func (c *Config) checkSettings() []error {
	var faults []error
	wrong := func(is bool, name, format string, args ...any) {
		if is {
			faults = append(faults, fmt.Errorf("%s: %s", name, fmt.Sprintf(format, args...)))
		}
	}
	wrong(c.Mode != Production && c.Mode != Development, "ARPENT_MODE",
		"is %q; expected production or development", string(c.Mode))
	wrong(c.Port == 0, "PORT", "is 0; expected 1 to 65535")
	wrong(!isWebAddress(c.BaseURL), "ARPENT_BASE_URL",
		"is %q; expected an http(s) address such as https://api.example.org", c.BaseURL)
	wrong(c.Mirror != "" && !isWebAddress(c.Mirror), "ARPENT_MIRROR", "is %q; expected an http(s) address",
		c.Mirror)
	// A password would be in logs.
	wrong(c.Collector != "" && (!isWebAddress(c.Collector) || strings.Contains(c.Collector, "@")),
		"OTEL_EXPORTER_OTLP_ENDPOINT",
		"expected the http(s) address of an OpenTelemetry collector, such as http://127.0.0.1:4318, without a password")
	for _, p := range c.TrustedProxies {
		_, noRange := netip.ParsePrefix(p)
		_, noAddress := netip.ParseAddr(p)
		wrong(noRange != nil && noAddress != nil, "ARPENT_TRUSTED_PROXIES",
			"%q is neither an address nor a CIDR range", p)
	}
	wrong(!slices.Contains([]string{"debug", "info", "warn", "error"}, c.LogLevel),
		"ARPENT_LOG_LEVEL", "is %q; expected debug, info, warn or error", c.LogLevel)
	wrong(c.LogSuccesses < 1 || c.LogSuccesses > 1_000_000, "ARPENT_LOG_SUCCESSES",
		"is %d; expected 1 (all are logged) to 1000000 (one in a million is)", c.LogSuccesses)
	_, err := c.UpdateTime()
	wrong(c.Update != "" && err != nil, "ARPENT_UPDATE", "is %q; expected an hour and minute such as 03:30",
		c.Update)
	wrong(c.Publisher.LogDays < 0 || c.Publisher.LogDays > 3660, "ARPENT_PUBLISHER_LOG_DAYS",
		"is %d; expected 1 to 3660", c.Publisher.LogDays)
	wrong(c.ReportConns < 0 || c.ReportConns > 1000, "ARPENT_REPORT_CONNS", "is %d; expected 0 to 1000",
		c.ReportConns)
	wrong(c.DatabaseConns < 2 || c.DatabaseConns > 1000, "ARPENT_DATABASE_CONNS", "is %d; expected 2 to 1000",
		c.DatabaseConns)
	wrong(c.MetricsAddr != "" && !isListenAddress(c.MetricsAddr), "ARPENT_METRICS_ADDR",
		"is %q; expected host:port such as 127.0.0.1:9090", c.MetricsAddr)
	// The libraries' own errors repeat what they were given, passwords included.
	wrong(c.DatabaseURL != "" && !isDatabaseAddress(c.DatabaseURL.Reveal()), "ARPENT_DATABASE_URL",
		"expected an address such as postgres://user:password@host:5432/database; "+encodeHint)
	wrong(c.DatabaseOwnerURL != "" && (c.DatabaseURL == "" || !isDatabaseAddress(c.DatabaseOwnerURL.Reveal())),
		"ARPENT_DATABASE_OWNER_URL",
		"expected an address of the database of ARPENT_DATABASE_URL, for the user who owns it; "+encodeHint)
	isWrongReplica := func(one string) bool { return c.DatabaseURL == "" || !isDatabaseAddress(one) }
	wrong(slices.ContainsFunc(c.ReadURLs(), isWrongReplica), "ARPENT_DATABASE_READ_URLS",
		"expected addresses of replicas of the database of ARPENT_DATABASE_URL, and a comma or a line end between two; "+encodeHint)
	wrong(c.RedisURL != "" && !isRedisAddress(c.RedisURL.Reveal()), "ARPENT_REDIS_URL",
		"expected an address such as redis://:password@host:6379/0, rediss://… or unix://…; "+encodeHint)
	wrong(c.Secret != "" && len(c.Secrets()) == 0, "ARPENT_SECRET", "holds no secret")
	for i, one := range c.Secrets() {
		wrong(len(one) < 32, "ARPENT_SECRET", "secret %d is too short; expected 32 characters or more, such as openssl rand -hex 32 prints, "+
			"and a comma or a line end between two", i+1)
	}
	wrong(c.SMTPURL != "" && !isMailServer(c.SMTPURL.Reveal()), "ARPENT_SMTP_URL",
		"expected an address such as smtp://user:password@host:587 or smtps://user:password@host:465; "+encodeHint)
	for _, s := range c.Operators {
		wrong(!isAddress(s), "ARPENT_OPERATORS", "%q is not an e-mail address", s)
	}
	wrong(c.ContactEmail != "" && !isAddress(c.ContactEmail), "ARPENT_CONTACT_EMAIL",
		"is %q; expected an e-mail address without a name", c.ContactEmail)
	_, err = mail.ParseAddress(c.MailFrom)
	wrong(err != nil, "ARPENT_MAIL_FROM", "is %q; expected an e-mail address", c.MailFrom)
	return append(faults, c.checkProviders()...)
}

func (c *Config) checkProviders() []error {
	var faults []error
	for name, p := range map[string]Provider{"GOOGLE": c.Google, "GITHUB": c.GitHub, "MICROSOFT": c.Microsoft,
		"GITLAB": c.GitLab, "OIDC": c.OIDC} {
		prefix := "ARPENT_" + name + "_"
		if p.On() != (p.ClientSecret != "") {
			faults = append(faults, fmt.Errorf("%sCLIENT_ID and %sCLIENT_SECRET: one is set without the other", prefix,
				prefix))
		}
		if name == "OIDC" && p.On() && !isWebAddress(p.Issuer) {
			faults = append(faults, fmt.Errorf("%sISSUER: is %q; expected the http(s) address of the issuer", prefix,
				p.Issuer))
		}
		if name == "GITLAB" && p.Issuer != "" && !isWebAddress(p.Issuer) {
			faults = append(faults, fmt.Errorf("%sISSUER: is %q; expected the http(s) address of the server", prefix,
				p.Issuer))
		}
	}
	return faults
}

func isMailServer(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "smtp" || u.Scheme == "smtps") && u.Hostname() != ""
}

const encodeHint = "in a password, @ is written %%40 and / is written %%2F"

func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.RawQuery == "" &&
		u.Fragment == ""
}

func isListenAddress(s string) bool {
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return false
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

func isDatabaseAddress(s string) bool {
	_, err := pgx.ParseConfig(s)
	return err == nil && (strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://"))
}

func isRedisAddress(s string) bool {
	if _, err := redis.ParseURL(s); err == nil {
		return true
	}
	cluster, err := redis.ParseClusterURL(s)
	return err == nil && len(cluster.Addrs) > 1
}

// Secrets returns the secrets of the server, which commas or line ends separate in the setting: the first one
// seals and signs, the others still open and verify what they made.
func (c Config) Secrets() (out []Secret) {
	for _, one := range splitList(c.Secret) {
		out = append(out, Secret(one))
	}
	return out
}

// ReadURLs are the addresses of DatabaseReadURLs, which commas or line ends separate.
func (c Config) ReadURLs() []string { return splitList(c.DatabaseReadURLs) }

func splitList(s Secret) (out []string) {
	for one := range strings.FieldsFuncSeq(s.Reveal(), func(r rune) bool {
		return r == ',' || r == '\n' || r == '\r'
	}) {
		if one = strings.TrimSpace(one); one != "" {
			out = append(out, one)
		}
	}
	return out
}

// UpdateTime is the time of day of Update.
func (c Config) UpdateTime() (time.Time, error) { return time.Parse("15:04", c.Update) }

// State is a path inside the state folder.
func (c Config) State(elem ...string) string {
	return filepath.Join(append([]string{c.StateDir}, elem...)...)
}

// Box is the folder of the starter data: "data" of the working folder, else of the folder above that of
// the program; empty where neither is there.
func Box() string {
	places := []string{"data"}
	if program, err := os.Executable(); err == nil {
		places = append(places, filepath.Join(filepath.Dir(program), "..", "data"))
	}
	for _, place := range places {
		if info, err := os.Stat(place); err == nil && info.IsDir() {
			return place
		}
	}
	return ""
}

// isAddress reports whether text is an e-mail address and nothing else.
func isAddress(text string) bool {
	a, err := mail.ParseAddress(text)
	return err == nil && a.Address == text
}
