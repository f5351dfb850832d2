package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"arpent/internal/config"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/ingest/official"
	"arpent/internal/opendata/topic"
)

// FetchClient asks the producers of data, or the mirror in their place. It keeps a copy of all
// answers in a folder, unless that is empty.
func FetchClient(c config.Config, copies string) (*fetch.Client, error) {
	return fetch.NewClient(fetch.Options{Contact: cmp.Or(c.ContactEmail, c.BaseURL), Mirror: c.Mirror,
		Record: copies})
}

// Downloads returns the folder of fetched files.
func Downloads(c config.Config) string { return c.State("downloads") }

// Official is the sources of all topics, to be fetched.
func Official(c config.Config) official.Catalogue {
	return official.Catalogue{Sources: topic.Sources(), Communes: communeLister(c), Groupings: groupingLister(c)}
}

// NamesAndCodes is the source of the names and codes of communes.
const NamesAndCodes = "cog-communes"

// communeLister lists the current communes of a département, from the file of names and codes that is there.
// It returns ingest.ErrNoFile where there is none.
func communeLister(c config.Config) func(departement string) ([]string, error) {
	var known map[string][]string
	return func(departement string) ([]string, error) {
		if known == nil {
			read := map[string][]string{}
			err := Loader(c, nil).Records(context.Background(), NamesAndCodes, func(f format.Fields) error {
				code, _ := f.Text("code")
				in, _ := f.Text("departement")
				if kind, _ := f.Text("type"); kind == "commune-actuelle" {
					read[in] = append(read[in], code)
				}
				return nil
			})
			if err != nil {
				return nil, fmt.Errorf("read the communes of %s: %w", departement, err)
			}
			known = read
		}
		return known[departement], nil
	}
}

// intercommunal are the sources of the members of intercommunal bodies.
var intercommunal = []string{"cog-epci", "cog-ept"}

// groupingLister lists the intercommunalities of a place, from the files of their members that are there. It
// returns ingest.ErrNoFile where there are none.
func groupingLister(c config.Config) func(fetch.Place) ([]string, error) {
	var members map[string][]string // by SIREN
	return func(p fetch.Place) ([]string, error) {
		if members == nil {
			read := map[string][]string{}
			loader := Loader(c, nil)
			for _, name := range intercommunal {
				err := loader.Records(context.Background(), name, func(f format.Fields) error {
					siren, _ := f.Text("code")
					text, _ := f.Text("membres")
					var communes []struct{ Code string }
					if err := json.Unmarshal([]byte(text), &communes); err != nil {
						return fmt.Errorf("members of %s: %w", siren, err)
					}
					for _, commune := range communes {
						read[siren] = append(read[siren], commune.Code)
					}
					return nil
				})
				if err != nil {
					return nil, fmt.Errorf("read the intercommunalities: %w", err)
				}
			}
			members = read
		}
		var out []string
		for siren, communes := range members {
			if slices.ContainsFunc(communes, func(code string) bool {
				return p.Commune == code || p.Commune == "" && (p.Departement == "" ||
					p.Departement == fetch.DepartementOf(code))
			}) {
				out = append(out, siren)
			}
		}
		slices.Sort(out)
		return out, nil
	}
}

// Plan plans what was asked for. Where that needs the names and codes of communes or the members of
// intercommunalities and no file has them, they are fetched first.
func Plan(ctx context.Context, c config.Config, client *fetch.Client,
	asked ...official.Request) (official.Plan, error) {
	plan, err := Official(c).Plan(ctx, client, asked...)
	if !errors.Is(err, ingest.ErrNoFile) {
		return plan, err
	}
	codes := official.Catalogue{Sources: topic.Sources()}
	names, err := codes.Plan(ctx, client, official.Request{Sources: append([]string{NamesAndCodes},
		intercommunal...)})
	if err != nil {
		return official.Plan{}, err
	}
	report, err := fetch.Run(ctx, client, Downloads(c), names.Items, FetchProgress())
	if err != nil {
		return official.Plan{}, err
	}
	if err := report.Err(); err != nil {
		return official.Plan{}, fmt.Errorf("fetch the names of communes and the members of intercommunalities: %w", err)
	}
	return Official(c).Plan(ctx, client, asked...)
}
