package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"arpent/api/ingest"
	"arpent/api/ingest/fetch"
	"arpent/api/ingest/official"
	"arpent/api/topic"
	"arpent/app/base/config"
)

// FetchClient asks the producers of data, or the mirror in their place. It keeps a copy of all answers in a folder, unless
// that is empty.
func FetchClient(c config.Config, copies string) (*fetch.Client, error) {
	return fetch.NewClient(fetch.Options{Contact: cmp.Or(c.ContactEmail, c.BaseURL), Mirror: c.Mirror, Record: copies})
}

// Downloads is the folder of what was fetched.
func Downloads(c config.Config) string { return c.State("downloads") }

// Official is the sources of all topics, to be fetched.
func Official() official.Catalogue {
	return official.Catalogue{Sources: topic.Sources(), Communes: communes}
}

// communes lists the current communes of a département, from the package of names and codes.
func communes(departement string) ([]string, error) {
	const file = "@etalab/decoupage-administratif/data/communes.json"
	for _, packages := range ingest.DefaultPackages() {
		b, err := os.ReadFile(filepath.Join(packages, filepath.FromSlash(file)))
		if err != nil {
			continue
		}
		var all []struct{ Code, Departement, Type string }
		if err := json.Unmarshal(b, &all); err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		var out []string
		for _, c := range all {
			if c.Departement == departement && c.Type == "commune-actuelle" {
				out = append(out, c.Code)
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("the communes of %s are not known: %s is missing, npm ci installs it", departement, file)
}
