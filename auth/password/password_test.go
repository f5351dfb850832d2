package password_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"arpent/auth/password"
)

const jeanne = "jeanne@exemple.fr"

func ExampleCheck() {
	fmt.Println(password.Check("MotDePasse2026!", "jeanne@exemple.fr"))
	fmt.Println(password.Check("un cheval bleu galope", "jeanne@exemple.fr") == password.None)
	// Output:
	// too_common
	// true
}

// The passwords that attackers try first are rejected.
func TestCheck(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"un cheval bleu galope": true, "é7!kLpQ2xZm9": true, strings.Repeat("kz7 wq", 21): true,
		"correct horse stapler batteries": true, "ils sont fous ces romains !": true,
		"short": false, "elevenchars": false, strings.Repeat("abcdef", 22): false, "aaaaaaaaaaaaaaaa": false,
		"121212121212": false, "123456789012": false, "MotDePasse2026!": false, "Password123!!": false,
		"azertyuiop12": false, "jeanne@exemple.fr": false, "bad\xffutf8 password": false, "Mot de passe 1234": false,
		"OlympiqueDeMarseille": false, "soleil-soleil-soleil": false, "sésameouvretoi": false, "Jeanne-1984-fr": false,
		"nicolas nicolas": false, "M0td3p@sse-s0l3il": false, "m@rs31ll3 2024": false, "qsdfghjklmazer": false, "loulou.chouchou": false, "abcabcabcabcabcabcabc": false,
	} {
		if w := password.Check(text, jeanne); (w == password.None) != good {
			t.Errorf("%q: %q", text, w)
		}
	}
}

// The estimate of a password is done before anybody is known: no text, however odd, may keep a processor
// busy. What the library does is counted in what it allocates, which no machine changes.
func TestOddPasswordsAreCheap(t *testing.T) { // not parallel: the count is that of the process
	seed := time.Now().UnixNano()
	dice := rand.New(rand.NewPCG(uint64(seed), 1))
	for _, letters := range []string{"abcde4@8({[<6931!|7$5+%20 /-.", "0123456789/-. ", "aqw1", "éàç🐎ß", "qwertyazerty"} {
		for range 10 {
			text := make([]rune, 128)
			for i := range text {
				text[i] = []rune(letters)[dice.IntN(len([]rune(letters)))]
			}
			work := testing.AllocsPerRun(1, func() { _ = password.Check(string(text), jeanne) })
			if work > 75_000 {
				t.Errorf("seed %d: %q is estimated with %.0f allocations", seed, string(text), work)
			}
		}
	}
}

// No password, however odd, makes the check fail.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{"un cheval bleu galope", "çà et là, œuvre", "пароль длинный 12", "🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎", "İİİİİİİİİİİİİ", "1/1/2001 a 1/1/2001"} {
		f.Add(s, jeanne)
	}
	f.Fuzz(func(_ *testing.T, text, email string) {
		_ = password.Check(text, email)
	})
}

func BenchmarkCheck(b *testing.B) {
	for b.Loop() {
		_ = password.Check("un cheval bleu galope dans le pré", jeanne)
	}
}
