package fetch_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/fetch"
)

// A process that was killed when a file had come whole has not fetched it in vain: neither before it was put
// in its place, nor before it was entered in the manifest.
func TestFileThatWasComplete(t *testing.T) {
	t.Parallel()
	content := csvTable(1000)
	for _, inPlace := range []bool{true, false} {
		s, dir := newStandIn(t), t.TempDir()
		s.file(address, `"v1"`, content)
		s.fetched(dir, newItem(address))
		file := filepath.Join(dir, path)
		part := filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+".part")
		note, err := os.ReadFile(filepath.Join(dir, "manifest.jsonl"))
		testkit.NoError(t, err)
		if !inPlace {
			err = os.Rename(file, part)
		}
		testkit.NoError(t, errors.Join(err, os.WriteFile(part+".note", note, 0o600), os.Remove(filepath.Join(dir, "manifest.jsonl"))))
		s.taken()
		s.fetched(dir, newItem(address))
		if requests, sent := s.taken(); sent != 0 || !strings.HasSuffix(requests, `If-None-Match:"v1"`) {
			t.Errorf("%d bytes for %s", sent, requests)
		}
		wantFile(t, dir, path, content)
		if left, err := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); err != nil || len(left) != 0 {
			t.Errorf("%v is left, %v", left, err)
		}
		if e := entryOf(t, dir, path); e.SHA256 != hexOf("sha256", content) {
			t.Errorf("%+v", e)
		}
	}
}

// A complete part that is not what it should be is not put in its place: it is fetched anew.
func TestCompletePartThatIsDamaged(t *testing.T) {
	t.Parallel()
	content := csvTable(1000)
	s, dir := newStandIn(t), t.TempDir()
	s.file(address, `"v1"`, content)
	i := newItem(address)
	i.Remote.Sum = fetch.Checksum{Kind: "md5", Hex: hexOf("md5", content)}
	part := filepath.Join(dir, filepath.Dir(path), "."+filepath.Base(path)+".part")
	note := fmt.Sprintf(`{"address":"%s","etag":"\"v1\"","checksum":"md5:%s","bytes":%d}`, address, i.Remote.Sum.Hex, len(content))
	err := errors.Join(os.MkdirAll(filepath.Dir(part), 0o755), os.WriteFile(part+".note", []byte(note), 0o600),
		os.WriteFile(part, []byte(strings.ToUpper(content)), 0o600))
	testkit.NoError(t, err)
	s.fetched(dir, i)
	if requests, _ := s.taken(); requests != fetch.MirrorPath(address) {
		t.Errorf("requests\n%s", requests)
	}
	wantFile(t, dir, path, content)
}
