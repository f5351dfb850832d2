// Package password decides which passwords may be used, and hashes them with argon2id. It promises that
// nothing here ever prints one, and that no text keeps a processor busy.
package password

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	zxcvbn "github.com/ccojocar/zxcvbn-go"
	"github.com/ccojocar/zxcvbn-go/matching"
)

// Length of a password, in characters.
const (
	MinLength = 12
	MaxLength = 128
)

const (
	// maxEstimated bounds the work of the estimate, which grows with the square of the
	// length: tuned on the odd passwords of TestOddPasswordsAreCheap. What makes the first
	// characters strong keeps the whole strong.
	maxEstimated = 72
	// minScore is 10^10 guesses: out of reach of the slowdown here, and
	// years of one processor with a stolen hash.
	minScore = 3
	// minOutsideEmail is how much of a password must be something else than the address.
	minOutsideEmail = 8
)

//go:embed common_passwords.txt
var commonFile string

//go:embed french_words.txt
var frenchFile string

// commonPasswords are compared without the signs between words; frenchWords are sorted as the file is.
var (
	frenchWords     = readWords(frenchFile)
	commonPasswords = func() map[string]bool {
		common := map[string]bool{}
		for _, word := range append(readWords(commonFile), frenchWords...) {
			common[word] = true
			common[keepLettersAndDigits(word)] = true
		}
		return common
	}()
)

func readWords(file string) []string {
	var words []string
	for line := range strings.Lines(file) {
		if word := strings.TrimSpace(line); word != "" && !strings.HasPrefix(word, "#") {
			words = append(words, word)
		}
	}
	return words
}

// Weakness is why a password may not be used. Its values are public: forms translate them.
type Weakness string

// The weaknesses. None: the password may be used.
const (
	None          Weakness = ""
	TooShort      Weakness = "too_short"
	TooLong       Weakness = "too_long"
	TooCommon     Weakness = "too_common"     // among those that are tried first
	ContainsEmail Weakness = "contains_email" // repeats the address
	TooSimple     Weakness = "too_simple"     // guessed quickly
	NoText        Weakness = "bad_text"       // bytes that are no text
)

// Check returns why a password may not be used. email is the account's, in normal form.
func Check(password, email string) Weakness {
	if !utf8.ValidString(password) {
		return NoText
	}
	switch n := utf8.RuneCountInString(password); {
	case n < MinLength:
		return TooShort
	case n > MaxLength:
		return TooLong
	}
	bare := foldAccents(password)
	switch {
	case isCommon(bare):
		return TooCommon
	case repeatsEmail(bare, email):
		return ContainsEmail
	case hasFewCharacters(bare) || isGuessedQuickly(bare, email):
		return TooSimple
	}
	return None
}

// isCommon looks for the password and for what is left of it without the digits and signs that people
// append to a word in order to pass such a check.
func isCommon(bare string) bool {
	word := strings.TrimRightFunc(bare, func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc([]string{bare, word, keepLettersAndDigits(bare), keepLettersAndDigits(word)},
		func(s string) bool { return s != "" && commonPasswords[s] })
}

// repeatsEmail finds the address, or what stands before its @, in a password that has little else.
func repeatsEmail(bare, email string) bool {
	local, _, _ := strings.Cut(email, "@")
	for _, part := range []string{email, local} {
		rest := strings.ReplaceAll(bare, foldAccents(part), "")
		if len(part) >= 3 && len(rest) < len(bare) && utf8.RuneCountInString(rest) < minOutsideEmail {
			return true
		}
	}
	return false
}

// hasFewCharacters finds "aaaaaaaaaaaa" and "121212121212".
func hasFewCharacters(s string) bool {
	seen := map[rune]bool{}
	for _, r := range s {
		seen[r] = true
	}
	return len(seen) < 5
}

func isGuessedQuickly(bare, email string) bool {
	if runes := []rune(bare); len(runes) > maxEstimated {
		bare = string(runes[:maxEstimated])
	}
	// The words that belong to the person come first: they are guessed first.
	known := append(strings.FieldsFunc(email, func(r rune) bool { return !unicode.IsLetter(r) }), frenchWords...)
	estimateMu.Lock()
	defer estimateMu.Unlock()
	for _, s := range []string{bare, leetReplacer.Replace(bare)} {
		// The library tries every way to read signs as letters, seconds for some passwords: we read them one way.
		if zxcvbn.PasswordStrength(s, known, matching.FilterL33tMatcher).Score < minScore {
			return true
		}
	}
	return false
}

// estimateMu lets one estimate at a time take a processor: it costs 2 ms, for odd passwords ten times that.
var estimateMu sync.Mutex

// leetReplacer are those that people write for letters, to pass a check.
var leetReplacer = strings.NewReplacer("@", "a", "4", "a", "8", "b", "3", "e", "6", "g", "9", "g", "1", "i",
	"!", "i", "|", "i",
	"0", "o", "5", "s", "$", "s", "7", "t", "+", "t", "2", "z", "(", "c", "{", "c")

// foldAccents is lower case without the accents of French: people drop them, and so do those who guess.
func foldAccents(s string) string { return accents.Replace(strings.ToLower(s)) }

var accents = strings.NewReplacer("à", "a", "â", "a", "ä", "a", "ç", "c", "é", "e", "è", "e", "ê", "e",
	"ë", "e",
	"î", "i", "ï", "i", "ô", "o", "ö", "o", "ù", "u", "û", "u", "ü", "u", "ÿ", "y", "œ", "oe", "æ", "ae")

func keepLettersAndDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}
