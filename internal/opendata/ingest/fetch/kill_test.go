package fetch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/fetch"
)

const (
	childMirror = "FETCH_TEST_MIRROR" // makes the test binary the process that is killed
	childFolder = "FETCH_TEST_FOLDER"
	kills       = 20
	killFiles   = 3
	killBlock   = 16 << 10
)

func killItems() (items []fetch.Item) {
	for n := range killFiles {
		items = append(items, newItem(fmt.Sprintf("https://data%d.example.fr/%d.csv", n, n)))
	}
	return items
}

// TestFetchingProcess is the process that TestKilledProcess kills. Elsewhere it does nothing.
func TestFetchingProcess(t *testing.T) {
	mirror := os.Getenv(childMirror)
	if mirror == "" {
		return
	}
	c := testkit.Must(fetch.NewClient(fetch.Options{Mirror: mirror}))(t)
	report, err := fetch.Run(t.Context(), c, os.Getenv(childFolder), killItems(), nil)
	if err != nil || report.Err() != nil {
		t.Fatal(err, report.Err())
	}
}

// slowly serves a file in blocks, each when the client has most of those before, so that few bytes are on
// their way when it is killed. After each it counts down to that.
func (s *standIn) slowly(i fetch.Item, dir, content string, sent func(bytes int)) {
	part := filepath.Join(dir, filepath.Dir(i.Path), "."+filepath.Base(i.Path)+".part")
	s.on(i.Remote.Address, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		var from int
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content)-1, len(content)))
			w.Header().Set("Content-Length", strconv.Itoa(len(content)-from))
			w.WriteHeader(http.StatusPartialContent)
		} else {
			w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		}
		for at := from; at < len(content); at += killBlock {
			n, err := w.Write([]byte(content[at:min(at+killBlock, len(content))]))
			w.(http.Flusher).Flush()
			sent(n)
			for err == nil && at+n < len(content) && sizeOf(part) < int64(at+n-2*killBlock) {
				if err = r.Context().Err(); err == nil {
					time.Sleep(time.Millisecond)
				}
			}
			if err != nil {
				return
			}
		}
	})
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// A process that is killed at any moment leaves nothing that is half saved, and the next one asks for no byte
// twice but for those that were on their way.
func TestKilledProcess(t *testing.T) {
	t.Parallel()
	content := csvTable(20_000)
	total := killFiles * len(content)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for n := range kills {
		dir := t.TempDir()
		s := newStandIn(t)
		after := 1 + random.IntN(total*21/20) // now and then when all has been sent
		if after > total {
			after = total
		}
		killed := s.killAfter(t, dir, content, after, time.Duration(random.IntN(3000))*time.Microsecond)
		for _, path := range listSavedFiles(t, dir) {
			wantFile(t, dir, path, content)
		}
		parts, finished := partBytes(t, dir), len(listSavedFiles(t, dir))
		for _, r := range s.run(dir, s.client(), killItems()...) {
			if r.Err != nil {
				t.Errorf("kill %d: %v", n, r.Err)
			}
			wantFile(t, dir, r.Item.Path, content)
		}
		_, sent := s.taken()
		if twice := killed + int(sent) - total; twice < 0 || twice > killFiles*4*killBlock {
			t.Errorf("kill %d after %d bytes, %d files and parts of %d: %d bytes twice", n, killed, finished, parts, twice)
		}
		if entries, err := fetch.ReadManifest(dir); err != nil || len(entries) != killFiles {
			t.Errorf("kill %d: %v, %v", n, entries, err)
		}
		if t.Failed() {
			return
		}
	}
}

// killAfter starts a process that fetches, kills it when so many bytes and a moment
// have passed, and returns how many were sent.
func (s *standIn) killAfter(t *testing.T, dir, content string, bytes int, moment time.Duration) int {
	t.Helper()
	var mu sync.Mutex
	total, reached := 0, make(chan struct{})
	dead := make(chan struct{})
	for _, i := range killItems() {
		s.slowly(i, dir, content, func(n int) {
			mu.Lock()
			before := total
			total += n
			enough := before < bytes && total >= bytes
			mu.Unlock()
			if enough {
				close(reached)
			}
		})
	}
	sum := func() int {
		mu.Lock()
		defer mu.Unlock()
		return total
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestFetchingProcess$", "-test.count=1")
	child.Env = append(os.Environ(), childMirror+"="+s.url, childFolder+"="+dir)
	var output strings.Builder
	child.Stdout, child.Stderr = &output, &output
	testkit.NoError(t, child.Start())
	go func() { _ = child.Wait(); close(dead) }()
	select {
	case <-reached:
		time.Sleep(moment)
		_ = child.Process.Kill() // it may have ended
	case <-dead:
		if sum() < bytes {
			t.Fatalf("the process ended by itself\n%s", output.String())
		}
	}
	<-dead
	_, sent := s.taken()
	return int(sent)
}

// partBytes are the lengths of the parts in a folder together.
func partBytes(t *testing.T, dir string) (n int64) {
	t.Helper()
	parts := testkit.Must(filepath.Glob(filepath.Join(dir, "*", ".*.part")))(t)
	for _, p := range parts {
		n += sizeOf(p)
	}
	return n
}
