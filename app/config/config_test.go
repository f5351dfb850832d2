package config_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/app/config"
)

// An operator learns of every fault of the configuration at once, not one restart after the other.
func TestReadReportsAllFaults(t *testing.T) {
	t.Parallel()
	_, err := config.Read([]string{"PORT=nine", "ARPENT_MODE=prod", "ARPENT_BASE_URL=api.example.org",
		"ARPENT_TRUSTED_PROXIES=10.0.0.0/8,nonsense", "ARPENT_LOG_LEVEL=loud", "ARPENT_DATABASE_URL=mysql://u:hidden@h/d",
		"ARPENT_REDIS_URL=http://h", "ARPENT_DATABASE_CONNS=1"})
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{"Port", "ARPENT_MODE", "ARPENT_BASE_URL", "nonsense", "ARPENT_LOG_LEVEL",
		"ARPENT_DATABASE_URL", "ARPENT_REDIS_URL", "ARPENT_DATABASE_CONNS"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name %s: %v", name, err)
		}
	}
	if strings.Contains(err.Error(), "hidden") {
		t.Errorf("the error shows a password: %v", err)
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

// A secret never reaches a log, however the configuration is printed.
func TestSecretHidesItself(t *testing.T) {
	t.Parallel()
	c, err := config.Read([]string{"ARPENT_DATABASE_URL=postgres://u:hidden@h/d"})
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if s := fmt.Sprintf(verb, c); strings.Contains(s, "hidden") {
			t.Errorf("%s shows the secret: %s", verb, s)
		}
	}
}
