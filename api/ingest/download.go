package ingest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"arpent/api/ingest/fetch"
	"arpent/api/source"
)

func (l *Loader) downloads() string { return filepath.Join(l.o.StateDir, "downloads") }

// download fetches the official files of the département or commune that the request names. Without one it fetches
// nothing: a whole country is never downloaded by accident.
func (l *Loader) download(ctx context.Context, sources []source.Source, r Request) error {
	if r.Departement == "" && r.Commune == "" {
		return nil
	}
	var faults []error
	for _, src := range sources {
		if src.Download == nil {
			continue
		}
		address := l.address(src.Download, r)
		if address == "" {
			continue
		}
		if err := fetch.File(ctx, address, l.downloads(), l.o.Progress); err != nil {
			faults = append(faults, fmt.Errorf("download %s: %w", address, err))
		}
	}
	return errors.Join(faults...)
}

func (l *Loader) address(d *source.Download, r Request) string {
	template, departement := d.Departement, r.Departement
	if r.Commune != "" {
		template, departement = d.Commune, departementOf(r.Commune)
	}
	return strings.NewReplacer("{cadastre}", l.o.CadastreURL, "{departement}", departement, "{commune}", r.Commune).Replace(template)
}
