package app

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"arpent/internal/config"
)

// secretFile is where the secret is kept, in the state folder, when ARPENT_SECRET is not set.
const secretFile = "secret"

// secrets are what the server seals second factors and signs links, forms and cookies with. The first makes
// what is new; what the others made, those of before, is still good.
type secrets [][]byte

func (s secrets) current() []byte  { return s[0] }
func (s secrets) former() [][]byte { return s[1:] }

// serverSecrets returns the secrets of ARPENT_SECRET, or of a file that is made once. Losing them loses the
// second factors and the links under way, and nothing else. A file that is there
// stays good when the setting takes its place, and its content may be moved into the setting:
// several instances then share what one has made.
func serverSecrets(c config.Config) (secrets, error) {
	path := SecretPath(c)
	kept, err := readSecrets(path)
	if errors.Is(err, fs.ErrNotExist) && c.Secret == "" {
		if err := makeSecret(path); err != nil {
			return nil, fmt.Errorf("make the server's secret (ARPENT_SECRET sets one instead): %w", err)
		}
		return readSecrets(path)
	}
	if c.Secret == "" {
		return kept, err
	}
	var all, moved secrets
	for _, one := range c.Secrets() {
		sum := sha256.Sum256([]byte(one.Reveal()))
		all = append(all, sum[:])
		if raw, err := hex.DecodeString(one.Reveal()); err == nil && len(raw) == sha256.Size {
			moved = append(moved, raw)
		}
	}
	return slices.Concat(all, moved, kept), nil // a file that cannot be read is none
}

// SecretPath is the file of the secrets, which exists where ARPENT_SECRET is not set.
func SecretPath(c config.Config) string { return c.State(secretFile) }

// MergeSecrets adds the secrets of another file to those of SecretPath, which stay the first ones, one a
// line. added reports whether the other file had a further one.
func MergeSecrets(held, other string) (merged string, added bool) {
	all := strings.Fields(held)
	for one := range strings.FieldsSeq(other) {
		if !slices.Contains(all, one) {
			all, added = append(all, one), true
		}
	}
	return strings.Join(all, "\n") + "\n", added
}

// readSecrets reads one secret a line.
func readSecrets(path string) (secrets, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the server's secret: %w", err)
	}
	var all secrets
	for line := range strings.FieldsSeq(string(text)) {
		one, err := hex.DecodeString(line)
		if err != nil || len(one) != sha256.Size {
			return nil, fmt.Errorf("read the server's secret: %s does not hold lines of %d characters of base 16", path, 2*sha256.Size) // nor what it holds
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("read the server's secret: %s is empty", path)
	}
	return all, nil
}

// makeSecret writes the file under another name first: of several that
// start at once one wins, and no process reads half a file.
func makeSecret(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(path), secretFile+"-") // of mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	made := make([]byte, sha256.Size)
	_, _ = rand.Read(made) // never fails
	_, err = draft.WriteString(hex.EncodeToString(made) + "\n")
	if err = errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	if err := os.Link(draft.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
