package fetch

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"sync"
)

// maxParallelFiles is how many files are fetched at a time, of which perHost from one host.
const maxParallelFiles = 4

// Progress is notified of how a run goes, by several goroutines at a time.
type Progress interface {
	// so many files are asked for; bytes as far as catalogues say, or the declared ones
	Begin(files int, bytes int64)
	// a file comes, of which so much is there already; total 0: not known. Again for each attempt
	Start(path string, have, total int64)
	Add(path string, bytes int64) // so many more bytes of it have come
	Done(r Result)
}

type noProgress struct{}

func (noProgress) Begin(int, int64)           {}
func (noProgress) Start(string, int64, int64) {}
func (noProgress) Add(string, int64)          {}
func (noProgress) Done(Result)                {}

// Report is what became of the items of a run, in the order they were given in.
type Report struct{ Results []Result }

// Err joins the errors of the items that failed.
func (r Report) Err() error {
	var all []error
	for _, result := range r.Results {
		all = append(all, result.Err)
	}
	return errors.Join(all...)
}

// Run brings files, of which no two have one path, into the downloads folder dir, several at a time. One that
// fails keeps no other from being fetched. When ctx is done the next run resumes. The error is that of the
// folder: ErrLocked while another process fetches into it.
func Run(ctx context.Context, c *Client, dir string, items []Item, p Progress) (report Report, err error) {
	if p == nil {
		p = noProgress{}
	}
	m, err := OpenManifest(dir)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	var total int64
	for _, item := range items {
		total += cmp.Or(max(item.Remote.Bytes, 0), item.Origin.Bytes)
	}
	p.Begin(len(items), total)
	report.Results = make([]Result, len(items))
	all, hosts := make(chan struct{}, maxParallelFiles), map[string]chan struct{}{}
	var files sync.WaitGroup
	for i, item := range items {
		host := "" // that is asked for it
		if u, err := url.Parse(item.Remote.Address); err == nil {
			host = u.Host
		}
		if c.mirror != nil {
			host = c.mirror.Host
		}
		if hosts[host] == nil {
			hosts[host] = make(chan struct{}, perHost)
		}
		slot := hosts[host]
		files.Go(func() {
			slot <- struct{}{} // before it takes one of all: a busy host does not hold up the others
			all <- struct{}{}
			defer func() { <-all; <-slot }()
			report.Results[i] = Fetch(ctx, c, m, item, p)
			p.Done(report.Results[i])
		})
	}
	files.Wait()
	return report, nil
}
