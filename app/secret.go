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
	"strings"

	"arpent/app/config"
)

// secretFile is where the secret is kept, in the state folder, when ARPENT_SECRET is not set.
const secretFile = "secret"

// secret gives the 32 bytes that seal second factors and sign links: those of ARPENT_SECRET, or of a file that is made
// once. Whoever loses them loses the second factors and the links under way, and nothing else.
func secret(c config.Config) ([]byte, error) {
	if c.Secret != "" {
		sum := sha256.Sum256([]byte(c.Secret.Reveal()))
		return sum[:], nil
	}
	path := c.State(secretFile)
	kept, err := readSecret(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return kept, err
	}
	if err := makeSecret(path); err != nil {
		return nil, fmt.Errorf("make the server's secret (ARPENT_SECRET sets one instead): %w", err)
	}
	return readSecret(path)
}

func readSecret(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the server's secret: %w", err)
	}
	kept, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(kept) != sha256.Size {
		return nil, fmt.Errorf("read the server's secret: %s does not hold %d characters of base 16", path, 2*sha256.Size) // nor what it holds
	}
	return kept, nil
}

// makeSecret writes the file under another name first: of several that start at once one wins, and nobody reads half.
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
