package auth_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	"arpent/app/base/fault"
	"arpent/auth"
)

func gomaxprocs() int { return runtime.GOMAXPROCS(0) }

func sameCost(hash string) bool {
	p, _, _, err := argon2id.DecodeHash(hash)
	return err == nil && *p == auth.Hashing
}

// Nobody waits in the line for longer than is promised: who has waited so long is told when to come back, as a 503.
func TestHashingLineIsLeftInTime(t *testing.T) {
	t.Parallel()
	h := auth.NewHasher(1, 3, time.Millisecond)
	if err := h.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a queue that nobody leaves fails instead of hanging
	defer cancel()
	err := h.Acquire(ctx)
	if f := fault.From(err); code(t, err) != auth.CodeBusy || f.Code != fault.Unavailable || f.RetryAfter <= 0 {
		t.Errorf("after the wait: %v, %+v", err, f)
	}
	if h.Waiting() != 0 {
		t.Errorf("%d are still in line", h.Waiting())
	}
}

// weaken stores the good password as a server with cheaper parameters did, and gives what it stored.
func (w *world) weaken() string {
	w.t.Helper()
	weaker := auth.Hashing
	weaker.Memory, weaker.Iterations = 1024, 1
	hash, err := argon2id.CreateHash(goodPassword, &weaker)
	w.must(err)
	_, err = w.pool.Exec(w.t.Context(), `UPDATE account.account SET password_hash = $1`, hash)
	w.must(err)
	return hash
}

func (w *world) stored() (hash string, changed *time.Time) {
	w.t.Helper()
	w.must(w.pool.QueryRow(w.t.Context(), `SELECT password_hash, password_changed_at FROM account.account`).Scan(&hash, &changed))
	return hash, changed
}

// A hash that was made with other parameters is accepted, and made anew with those of today by the sign-in that proves
// the password. It is the same password: sessions stay, and so does the date of its last change.
func TestOldHashesAreRenewed(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	before := w.signUpAndIn()
	old := w.weaken()
	_, changed := w.stored()
	_, err := w.SignIn(ctx, jeanne, "wrong", home)
	w.want(err, auth.CodeSignIn)
	if hash, _ := w.stored(); hash != old {
		t.Error("a wrong password changed the hash")
	}
	w.signIn(jeanne, home)
	renewed, changedNow := w.stored()
	if !sameCost(renewed) || !reflect.DeepEqual(changed, changedNow) {
		t.Errorf("after the sign-in: %s, changed at %v, before at %v", renewed, changedNow, changed)
	}
	w.session(before)
	w.signIn(jeanne, home)
	if again, _ := w.stored(); again != renewed {
		t.Error("a hash of today was made anew")
	}
}

// The second factor completes the sign-in whose first factor renewed the hash.
func TestOldHashIsRenewedBeforeTheSecondFactor(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	sess, _ := w.join(jeanne)
	secret, _ := w.enrol(sess)
	w.weaken()
	in := w.signIn(jeanne, home)
	if done, err := w.FinishSignIn(ctx, in.Pending, w.totp(secret), home); err != nil || done.Token == "" {
		t.Errorf("finish: %+v, %v", done, err)
	}
	if hash, _ := w.stored(); !sameCost(hash) {
		t.Errorf("not renewed: %s", hash)
	}
}

// signUpAndIn gives the cookie of a session.
func (w *world) signUpAndIn() string {
	w.t.Helper()
	w.join(jeanne)
	return w.signIn(jeanne, home).Token
}

// The estimate of a password is done before anybody is known: no text, however odd, may keep a processor busy. What the
// library does is counted in what it allocates, which no machine changes.
func TestOddPasswordsAreCheap(t *testing.T) { // not parallel: the count is that of the process
	seed := time.Now().UnixNano()
	dice := rand.New(rand.NewPCG(uint64(seed), 1))
	for _, letters := range []string{"abcde4@8({[<6931!|7$5+%20 /-.", "0123456789/-. ", "aqw1", "éàç🐎ß", "qwertyazerty"} {
		for range 10 {
			password := make([]rune, 128)
			for i := range password {
				password[i] = []rune(letters)[dice.IntN(len([]rune(letters)))]
			}
			work := testing.AllocsPerRun(1, func() { _ = auth.CheckPassword(string(password), jeanne) })
			if work > 75_000 {
				t.Errorf("seed %d: %q is estimated with %.0f allocations", seed, string(password), work)
			}
		}
	}
}

// No password, however odd, makes the check fail.
func FuzzCheckPassword(f *testing.F) {
	for _, s := range []string{"un cheval bleu galope", "çà et là, œuvre", "пароль длинный 12", "🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎", "İİİİİİİİİİİİİ", "1/1/2001 a 1/1/2001"} {
		f.Add(s, jeanne)
	}
	f.Fuzz(func(_ *testing.T, password, email string) {
		_ = auth.CheckPassword(password, email)
	})
}

func BenchmarkCheckPassword(b *testing.B) {
	for b.Loop() {
		_ = auth.CheckPassword("un cheval bleu galope dans le pré", jeanne)
	}
}
