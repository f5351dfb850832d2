package fetch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	manifestName = "manifest.jsonl"
	lockName     = ".lock"
)

// ErrLocked is the error of a downloads folder that another process fetches into.
var ErrLocked = errors.New("another process is fetching into the same folder")

// Entry is what is known of a downloaded file.
type Entry struct {
	Path         string    `json:"path"` // below the downloads folder, with slashes
	Sources      []string  `json:"sources,omitempty"`
	Address      string    `json:"address"`         // asked
	Final        string    `json:"final,omitempty"` // that answered, after redirects
	ETag         string    `json:"etag,omitempty"`
	LastModified string    `json:"last_modified,omitempty"` // as the server sent it
	ContentType  string    `json:"content_type,omitempty"`
	Edition      string    `json:"edition,omitempty"`  // as the catalogue said
	Checksum     string    `json:"checksum,omitempty"` // as the catalogue said: "md5:…"
	Bytes        int64     `json:"bytes"`
	SHA256       string    `json:"sha256,omitempty"`
	FetchedAt    time.Time `json:"fetched_at,omitzero"` // UTC
	CheckedAt    time.Time `json:"checked_at,omitzero"` // UTC: when it was last found to be the producer's
	Licence      string    `json:"licence,omitempty"`
}

// rangeValidator is what If-Range takes: a strong entity tag, else the date of the last change.
func (e Entry) rangeValidator() string {
	if e.ETag != "" && !strings.HasPrefix(e.ETag, "W/") {
		return e.ETag
	}
	return e.LastModified
}

// Manifest records the files of a downloads folder: a JSON line for each, of which the last of a
// path counts. It is safe for concurrent use.
type Manifest struct {
	dir     string
	lock    *os.File
	mu      sync.Mutex
	file    *os.File
	entries map[string]Entry
}

// OpenManifest opens the manifest of a downloads folder, which is made if need be, and drops the lines that
// no longer count. While another process has it open the error is ErrLocked.
func OpenManifest(dir string) (*Manifest, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	m := &Manifest{dir: dir, lock: lock, entries: map[string]Entry{}}
	entries, err := ReadManifest(dir)
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	for _, e := range entries {
		m.entries[e.Path] = e
		err = errors.Join(err, lines.Encode(e))
	}
	if err == nil {
		err = ReplaceFile(m.manifestPath(), text.Bytes())
	}
	if err == nil {
		m.file, err = os.OpenFile(m.manifestPath(), os.O_WRONLY|os.O_APPEND, 0o644)
	}
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("open %s: %w", m.manifestPath(), err)
	}
	return m, nil
}

// lockFolder takes the lock of a folder. The kernel gives it back when the process ends, however it ends.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder, _ := io.ReadAll(f) // for the message alone
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("%w: %s, process %s", ErrLocked, dir, cmp.Or(strings.TrimSpace(string(holder)),
				"unknown"))
		}
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (m *Manifest) manifestPath() string { return filepath.Join(m.dir, manifestName) }

// ReadManifest reads the entries of a downloads folder, by path, also while another process fetches into it.
// Of files that are gone there are none. A line that cannot be read, such as the last one of a process that
// was killed, is passed over: at worst its file is fetched again.
func ReadManifest(dir string) ([]Entry, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	found := map[string]Entry{}
	for line := range bytes.Lines(text) {
		var e Entry
		if json.Unmarshal(line, &e) == nil && filepath.IsLocal(filepath.FromSlash(e.Path)) {
			found[e.Path] = e
		}
	}
	maps.DeleteFunc(found, func(path string, _ Entry) bool {
		_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path)))
		return errors.Is(err, os.ErrNotExist)
	})
	return slices.SortedFunc(maps.Values(found), func(a, b Entry) int {
		return cmp.Compare(a.Path, b.Path)
	}), nil
}

// Prune deletes the files of a downloads folder that are not to be kept, and returns their entries. While
// another process fetches into it the error is ErrLocked.
func Prune(dir string, keep func(Entry) bool) (gone []Entry, err error) {
	m, err := OpenManifest(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	for _, path := range slices.Sorted(maps.Keys(m.entries)) {
		e := m.entries[path]
		if keep(e) {
			continue
		}
		if err := removeIfExists(filepath.Join(dir, filepath.FromSlash(path))); err != nil {
			return gone, err
		}
		gone = append(gone, e)
	}
	return gone, nil
}

// Get returns the entry of a path.
func (m *Manifest) Get(path string) (e Entry, found bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, found = m.entries[path]
	return e, found
}

// Put appends an entry.
func (m *Manifest) Put(e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", m.manifestPath(), err)
	}
	m.entries[e.Path] = e
	return nil
}

// Close gives the folder to the next process. It unlocks before it closes: a child between fork and
// exec still holds a copy of the descriptor.
func (m *Manifest) Close() error {
	return errors.Join(m.file.Sync(), m.file.Close(), syscall.Flock(int(m.lock.Fd()), syscall.LOCK_UN),
		m.lock.Close())
}

// ReplaceFile writes a file that is there whole or not at all, whenever the process
// is killed. It makes the folder if need be.
func ReplaceFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".*.part")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // nothing to remove once it is renamed
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
