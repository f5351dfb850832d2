package config

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
)

const (
	fileSuffix   = "_FILE"
	maxFileBytes = 64 << 10 // a larger file is a wrong path, not a secret
)

// Names are the environment variables of all settings: those of the
// declaration in its order, then the prices of plans.
func Names(paidPlans ...string) []string {
	all := envNames(reflect.TypeFor[Config](), "", func(reflect.StructField) bool { return true })
	for _, plan := range paidPlans {
		all = append(all, PriceSetting(plan), YearlyPriceSetting(plan))
	}
	return all
}

// SecretNames are those of the settings that a file may hold.
func SecretNames() []string {
	return envNames(reflect.TypeFor[Config](), "",
		func(f reflect.StructField) bool { return f.Type == reflect.TypeFor[Secret]() })
}

// otherNames are not settings of the server: the compose file, the examples of the guide, the Makefile and
// the tests use them.
var otherNames = []string{"ARPENT_DATABASE_PASSWORD", "ARPENT_SERVER_PASSWORD", "ARPENT_SECRETS",
	"ARPENT_KEY", "ARPENT_TEST", "ARPENT_BENCH_PARCELS", "ARPENT_HIDDEN", "ARPENT_JUDGES", "ARPENT_KILLS",
	"ARPENT_MAIL_PAGES", "ARPENT_MUTATIONS", "ARPENT_PREVIOUS", "ARPENT_SEED", "ARPENT_SHOTS", "ARPENT_SOAK"}

// CheckNames reports the variables of an environment that look like settings and are none, such as
// ARPENT_BASEURL: what was meant would silently have its default.
func CheckNames(environ []string, paidPlans ...string) error {
	known := append(Names(paidPlans...), otherNames...)
	var unknown []string
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if value == "" || !strings.HasPrefix(name, "ARPENT_") || strings.HasPrefix(name, "ARPENT_TEST_") {
			continue
		}
		if !slices.Contains(known, name) && !slices.Contains(known, strings.TrimSuffix(name, fileSuffix)) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return fmt.Errorf("no such setting: %s; correct or unset it (docs/settings.md lists all)",
		strings.Join(unknown, ", "))
}

func envNames(t reflect.Type, prefix string, wanted func(reflect.StructField) bool) []string {
	var out []string
	for f := range t.Fields() {
		if inner, ok := f.Tag.Lookup("envPrefix"); ok {
			out = append(out, envNames(f.Type, prefix+inner, wanted)...)
		} else if name, _, _ := strings.Cut(f.Tag.Get("env"), ","); name != "" && wanted(f) {
			out = append(out, prefix+name)
		}
	}
	return out
}

// readFiles puts the content of the files that settings name with
// _FILE in the place of the settings themselves.
func readFiles(settings map[string]string, paidPlans []string) []error {
	var faults []error
	all, secrets := Names(paidPlans...), SecretNames()
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		path, plain := settings[name], strings.TrimSuffix(name, fileSuffix)
		if path == "" || plain == name || !slices.Contains(all, plain) {
			continue
		}
		switch {
		case !slices.Contains(secrets, plain):
			faults = append(faults, fmt.Errorf("%s: only a secret can be in a file; set %s", name, plain))
		case settings[plain] != "":
			faults = append(faults, fmt.Errorf("%s: %s is set too; set one of them", name, plain))
		default:
			content, err := readFile(path)
			if err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", name, err))
				continue
			}
			settings[plain] = content
		}
	}
	return faults
}

func readFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return "", err
	}
	if len(content) > maxFileBytes {
		return "", fmt.Errorf("%s is larger than %d KiB", path, maxFileBytes>>10)
	}
	text := strings.TrimSpace(string(content))
	if text == "" {
		return "", errors.New(path + " is empty")
	}
	return text, nil
}
