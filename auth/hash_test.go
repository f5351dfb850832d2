package auth_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	"arpent/auth"
)

func gomaxprocs() int { return runtime.GOMAXPROCS(0) }

func sameCost(hash string) bool {
	p, _, _, err := argon2id.DecodeHash(hash)
	return err == nil && *p == auth.Hashing
}

// The estimate of a password is done before anybody is known: no text, however odd, may keep a processor busy.
func TestOddPasswordsAreCheap(t *testing.T) { // not parallel: it measures
	seed := time.Now().UnixNano()
	dice := rand.New(rand.NewPCG(uint64(seed), 1))
	for _, letters := range []string{"abcde4@8({[<6931!|7$5+%20 /-.", "0123456789/-. ", "aqw1", "éàç🐎ß", "qwertyazerty"} {
		for range 10 {
			password := make([]rune, 128)
			for i := range password {
				password[i] = []rune(letters)[dice.IntN(len([]rune(letters)))]
			}
			begin := time.Now()
			_ = auth.CheckPassword(string(password), jeanne)
			if d := time.Since(begin); d > 5*time.Second { // 40 ms alone; the race detector and a loaded machine take their part
				t.Errorf("seed %d: %q took %v", seed, string(password), d)
			}
		}
	}
}

// No password, however odd, makes the check fail.
func FuzzCheckPassword(f *testing.F) {
	for _, s := range []string{"un cheval bleu galope", "çà et là, œuvre", "пароль длинный 12", "🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎", "İİİİİİİİİİİİİ", "1/1/2001 a 1/1/2001"} {
		f.Add(s, jeanne)
	}
	f.Fuzz(func(t *testing.T, password, email string) {
		begin := time.Now()
		_ = auth.CheckPassword(password, email)
		if d := time.Since(begin); d > 2*time.Second {
			t.Errorf("took %v", d)
		}
	})
}

func BenchmarkCheckPassword(b *testing.B) {
	for b.Loop() {
		_ = auth.CheckPassword("un cheval bleu galope dans le pré", jeanne)
	}
}
