package command

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"

	"arpent/internal/opendata/ingest/fetch"
)

// FetchProgress draws one bar of all files on a terminal, and writes a line for each file elsewhere.
func FetchProgress() fetch.Progress {
	return &fetchProgress{w: os.Stderr, draws: isatty.IsTerminal(os.Stderr.Fd()), have: map[string]int64{}}
}

type fetchProgress struct {
	mu    sync.Mutex
	w     io.Writer
	draws bool
	bar   *progressbar.ProgressBar
	files int
	done  int
	total int64            // as far as it is known
	have  map[string]int64 // of the files that are on their way
}

// Begin implements fetch.Progress.
func (p *fetchProgress) Begin(files int, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files, p.total = files, bytes
	if p.draws {
		p.bar = progressbar.NewOptions64(max(bytes, 1), progressbar.OptionSetWriter(p.w),
			progressbar.OptionShowBytes(true),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(30),
			progressbar.OptionClearOnFinish())
	}
}

// Start implements fetch.Progress.
func (p *fetchProgress) Start(path string, have, _ int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.addBytes(path, have-p.have[path])
}

// Add implements fetch.Progress.
func (p *fetchProgress) Add(path string, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.addBytes(path, bytes)
}

func (p *fetchProgress) addBytes(path string, bytes int64) {
	p.have[path] += bytes
	if p.bar == nil {
		return
	}
	var come int64
	for _, n := range p.have {
		come += n
	}
	p.bar.ChangeMax64(max(p.total, come, 1))
	p.bar.Describe(fmt.Sprintf("%d of %d files", p.done, p.files))
	_ = p.bar.Set64(come) // a bar that cannot be drawn must not stop a download
}

// Done implements fetch.Progress.
func (p *fetchProgress) Done(r fetch.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	if r.Err != nil {
		fmt.Fprintf(p.w, "[%d of %d] %v\n", p.done, p.files, r.Err)
		return
	}
	fmt.Fprintf(p.w, "[%d of %d] %s %s, %.1f MiB received\n", p.done, p.files, r.State, r.Item.Path,
		float64(r.Bytes)/(1<<20))
}
