package auth

import (
	"context"
	_ "embed"
	"fmt"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"arpent/app/fault"
)

// Length of a password, in characters.
const (
	minPassword = 12
	maxPassword = 128
)

// About 40 ms and 19 MiB a hash: what OWASP recommends at this memory.
var hashing = argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// As many hashes at a time as there are processors: more would only take memory.
var hashingSlots = make(chan struct{}, runtime.GOMAXPROCS(0))

//go:embed common_passwords.txt
var commonFile string

var commonPasswords = func() map[string]bool {
	common := map[string]bool{}
	for line := range strings.Lines(commonFile) {
		if word := strings.TrimSpace(line); word != "" && !strings.HasPrefix(word, "#") {
			common[word] = true
		}
	}
	return common
}()

// CheckPassword tells why a password may not be used, or nil.
func CheckPassword(password, email string) error {
	if n := utf8.RuneCountInString(password); !utf8.ValidString(password) || n < minPassword || n > maxPassword {
		return fault.Invalid("a password must have %d to %d characters", minPassword, maxPassword)
	}
	lower := strings.ToLower(password)
	if isCommon(lower) || fewCharacters(lower) || lower == email {
		return fault.Invalid("this password is among those that are tried first: choose another")
	}
	return nil
}

// isCommon looks for the password and for what is left of it without the digits and signs that people append to a
// word in order to pass such a check.
func isCommon(lower string) bool {
	bare := strings.TrimRightFunc(lower, func(r rune) bool { return !unicode.IsLetter(r) })
	return commonPasswords[lower] || commonPasswords[bare] && bare != ""
}

// fewCharacters finds "aaaaaaaaaaaa" and "121212121212".
func fewCharacters(s string) bool {
	seen := map[rune]bool{}
	for _, r := range s {
		seen[r] = true
	}
	return len(seen) < 5
}

func hashPassword(ctx context.Context, password, email string) (string, error) {
	if err := CheckPassword(password, email); err != nil {
		return "", err
	}
	select {
	case hashingSlots <- struct{}{}:
	case <-ctx.Done():
		return "", fmt.Errorf("wait to hash a password: %w", ctx.Err())
	}
	defer func() { <-hashingSlots }()
	hash, err := argon2id.CreateHash(password, &hashing)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return hash, nil
}
