package ingest

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

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
	var items []fetch.Item
	for _, src := range sources {
		if src.Download == nil {
			continue
		}
		address := l.address(src.Download, r)
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		if address == "" {
			continue
		}
		items = append(items, fetch.Item{
			Sources: []string{src.Name}, Remote: fetch.Remote{Address: address}, Path: strings.TrimPrefix(u.Path, "/"),
			Licence: src.Licence.Name, Homepage: src.Homepage,
		})
	}
	if len(items) == 0 {
		return nil
	}
	client, err := fetch.NewClient(fetch.Options{})
	if err != nil {
		return err
	}
	report, err := fetch.Run(ctx, client, l.downloads(), items, &fetchProgress{to: l.o.Progress})
	if err != nil {
		return err
	}
	return report.Err()
}

func (l *Loader) address(d *source.Download, r Request) string {
	template, departement := d.Departement, r.Departement
	if r.Commune != "" {
		template, departement = d.Commune, departementOf(r.Commune)
	}
	return strings.NewReplacer("{cadastre}", l.o.CadastreURL, "{departement}", departement, "{commune}", r.Commune).Replace(template)
}

// fetchProgress reports the files that are fetched, several at a time, as if each were a load.
type fetchProgress struct {
	mu sync.Mutex
	to Progress
}

func (*fetchProgress) Begin(int, int64)  {}
func (*fetchProgress) Done(fetch.Result) {}

func (p *fetchProgress) Start(path string, have, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to.Start("download "+path, max(total-have, 0))
}

func (p *fetchProgress) Add(_ string, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to.Add(bytes)
}
