package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arpent/internal/config"
)

func writeSettingFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "setting")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A secret need not stand in the environment, which other programs of the same user and
// crash reports show: each can be in a file.
func TestEverySecretCanBeInAFile(t *testing.T) {
	t.Parallel()
	values := map[string]string{"ARPENT_DATABASE_URL": "postgres://u:hidden@h/d", "ARPENT_DATABASE_OWNER_URL": "postgres://o:hidden@h/d", "ARPENT_DATABASE_READ_URLS": "postgres://r:hidden@h/d", "ARPENT_REDIS_URL": "redis://:hidden@h",
		"ARPENT_SMTP_URL": "smtp://u:hidden@h:587"}
	names := config.SecretNames()
	if len(names) < 11 || !slices.Contains(names, "ARPENT_SECRET") || !slices.Contains(names, "ARPENT_OIDC_CLIENT_SECRET") {
		t.Fatalf("the secrets are %v", names)
	}
	direct := []string{"ARPENT_STRIPE_PRICE_STANDARD=a", "ARPENT_STRIPE_PRICE_PRO=b", "ARPENT_OIDC_ISSUER=https://issuer.example"}
	for _, p := range []string{"GOOGLE", "GITHUB", "MICROSOFT", "GITLAB", "OIDC"} {
		direct = append(direct, "ARPENT_"+p+"_CLIENT_ID=id")
	}
	filed := slices.Clone(direct)
	for _, name := range names {
		value, ok := values[name]
		if !ok {
			value = strings.Repeat("hidden", 8)
		}
		direct = append(direct, name+"="+value)
		filed = append(filed, name+"_FILE="+writeSettingFile(t, value+"\n"))
	}
	want, err := config.Read(direct, "standard", "pro")
	if err != nil {
		t.Fatal(err)
	}
	got, err := config.Read(filed, "standard", "pro")
	if err != nil {
		t.Fatal(err)
	}
	if got.Secret != want.Secret || got.DatabaseURL != want.DatabaseURL || got.OIDC != want.OIDC || got.StripeKey != want.StripeKey ||
		got.RedisURL != want.RedisURL || got.SMTPURL != want.SMTPURL || got.StripeWebhookSecret != want.StripeWebhookSecret || got.Google != want.Google {
		t.Error("files and environment give different settings")
	}
}

// A file that is not there, is empty, or is set together with the setting itself is reported with all
// other faults, and what it holds is not shown.
func TestFilesOfSecretsAreChecked(t *testing.T) {
	t.Parallel()
	_, err := config.Read([]string{"PORT=nine", "ARPENT_SECRET_FILE=/nowhere/secret", "ARPENT_SMTP_URL_FILE=" + writeSettingFile(t, "\n"),
		"ARPENT_REDIS_URL=redis://h", "ARPENT_REDIS_URL_FILE=" + writeSettingFile(t, "redis://h"), "ARPENT_DATABASE_URL_FILE=" + writeSettingFile(t, "mysql://u:hidden@h/d"),
		"ARPENT_STRIPE_KEY_FILE=" + t.TempDir(), "ARPENT_BASE_URL_FILE=" + writeSettingFile(t, "https://h")})
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"PORT", "ARPENT_SECRET_FILE: open /nowhere/secret", "ARPENT_SMTP_URL_FILE", "is empty", "ARPENT_REDIS_URL_FILE: ARPENT_REDIS_URL is set too",
		"ARPENT_DATABASE_URL:", "ARPENT_STRIPE_KEY_FILE", "ARPENT_BASE_URL_FILE: only a secret"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("no %q in: %v", part, err)
		}
	}
	if strings.Contains(err.Error(), "hidden") {
		t.Errorf("the error shows a password: %v", err)
	}
}

// A secret can be replaced without losing what the one before has made:
// several are given, and each has to be long.
func TestSeveralSecrets(t *testing.T) {
	t.Parallel()
	one, two := strings.Repeat("a", 32), strings.Repeat("b", 40)
	for _, setting := range []string{"ARPENT_SECRET=" + one + ", " + two, "ARPENT_SECRET_FILE=" + writeSettingFile(t, one+"\r\n"+two+"\n")} {
		c, err := config.Read([]string{setting})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Secrets(); len(got) != 2 || got[0].Reveal() != one || got[1].Reveal() != two {
			t.Errorf("%d secrets", len(got))
		}
	}
	if _, err := config.Read([]string{"ARPENT_SECRET=" + one + ",hidden"}); err == nil || !strings.Contains(err.Error(), "secret 2") || strings.Contains(err.Error(), "hidden") {
		t.Errorf("a short second secret: %v", err)
	}
	if _, err := config.Read([]string{"ARPENT_SECRET=,"}); err == nil {
		t.Error("a list of nothing is taken")
	}
}

// A setting that is there and empty is one that is absent: compose files and .env files pass it so.
func TestEmptyIsAbsent(t *testing.T) {
	t.Parallel()
	var empty []string
	for _, name := range config.Names("standard") {
		empty = append(empty, name+"=", name+"_FILE=")
	}
	want, err := config.Read(nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := config.Read(empty, "standard")
	if err != nil {
		t.Fatal(err)
	}
	if got.Port != want.Port || got.Mode != want.Mode || got.OIDC != want.OIDC || got.DatabaseConns != want.DatabaseConns || len(got.TrustedProxies) != 0 {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Variables of the Makefile and of tests, exported in a shell, do not stop a server; a misspelt setting does.
func TestCheckNames(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	environ := []string{"ARPENT_SHOTS=a", "ARPENT_PREVIOUS=a", "ARPENT_SECRET_FILE=a", "ARPENT_TEST_DIR=a"}
	for _, name := range regexp.MustCompile(`ARPENT_[A-Z_]+`).FindAllString(string(makefile), -1) {
		environ = append(environ, name+"=a")
	}
	if err := config.CheckNames(environ); err != nil {
		t.Error(err)
	}
	if err := config.CheckNames([]string{"ARPENT_BASEURL=a"}); err == nil {
		t.Error("ARPENT_BASEURL is taken for a setting")
	}
}
