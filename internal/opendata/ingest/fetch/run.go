package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
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

// Report is what became of the items of a run, one a path, in the order they were given in.
type Report struct{ Results []Result }

// Err joins the errors of the items that failed.
func (r Report) Err() error {
	var all []error
	for _, result := range r.Results {
		all = append(all, result.Err)
	}
	return errors.Join(all...)
}

// Run brings files into the downloads folder dir, several at a time. One that fails keeps no other
// from being fetched. When ctx is done the next run resumes. The error is that of the folder:
// ErrLocked while another process fetches into it.
func Run(ctx context.Context, c *Client, dir string, items []Item, p Progress) (report Report, err error) {
	if p == nil {
		p = noProgress{}
	}
	m, err := OpenManifest(dir)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	q := &queue{client: c, running: map[string]int{}}
	q.changed.L = &q.mu
	q.addItems(items)
	var total int64
	for _, r := range q.results {
		total += cmp.Or(max(r.Item.Remote.Bytes, 0), r.Item.Origin.Bytes)
	}
	p.Begin(len(q.results), total)
	var workers sync.WaitGroup
	for range maxParallelFiles {
		workers.Go(func() {
			for r := q.nextItem(); r != nil; r = q.nextItem() {
				if r.Err == nil {
					*r = Fetch(ctx, c, m, r.Item, p)
				}
				p.Done(*r)
				q.markDone(r)
			}
		})
	}
	workers.Wait()
	for _, r := range q.results {
		report.Results = append(report.Results, *r)
	}
	return report, nil
}

// queue gives out items so that those of one host do not hold up the others.
type queue struct {
	client  *Client
	mu      sync.Mutex
	changed sync.Cond
	results []*Result // of all items
	waiting []*Result
	running map[string]int // by host
}

// addItems takes the items. Several with one path are one, for all
// their sources; it cannot have two addresses.
func (q *queue) addItems(items []Item) {
	known := map[string]*Result{}
	for _, item := range items {
		r := known[item.Path]
		if r == nil {
			r = &Result{Item: item}
			r.Item.Sources = slices.Clone(item.Sources)
			known[item.Path] = r
			q.results = append(q.results, r)
			continue
		}
		for _, source := range item.Sources {
			if !slices.Contains(r.Item.Sources, source) {
				r.Item.Sources = append(r.Item.Sources, source)
			}
		}
		if r.Item.Remote.Address != item.Remote.Address && r.Err == nil {
			r.State, r.Err = Failed, fmt.Errorf("fetch %s: it has two addresses, %s and %s", item.Path,
				r.Item.Remote.Address, item.Remote.Address)
		}
	}
	q.waiting = slices.Clone(q.results)
}

func (q *queue) itemHost(r *Result) string {
	if q.client.mirror != nil {
		return q.client.mirror.Host
	}
	u, err := url.Parse(r.Item.Remote.Address)
	if err != nil {
		return ""
	}
	return u.Host
}

// nextItem waits for an item whose host is free. It returns nil after the last.
func (q *queue) nextItem() *Result {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) > 0 {
		i := slices.IndexFunc(q.waiting, func(r *Result) bool { return q.running[q.itemHost(r)] < perHost })
		if i >= 0 {
			r := q.waiting[i]
			q.waiting = slices.Delete(q.waiting, i, i+1)
			q.running[q.itemHost(r)]++
			return r
		}
		q.changed.Wait()
	}
	return nil
}

func (q *queue) markDone(r *Result) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running[q.itemHost(r)]--
	q.changed.Broadcast()
}
