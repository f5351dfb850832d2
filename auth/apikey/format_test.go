package apikey_test

import (
	"crypto/sha256"
	"strings"
	"testing"

	"arpent/auth/apikey"
)

// A key that we gave out is recognised, and what we keep of it is the hash of the whole of it.
func TestNewKeyParses(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 2_000 {
		secret, hash := apikey.New()
		got, ok := apikey.Parse(secret)
		if !ok || got != hash || hash != sha256.Sum256([]byte(secret)) {
			t.Fatalf("a new key does not parse")
		}
		if len(secret) != 42 || !strings.HasPrefix(secret, "arp_") || seen[secret] {
			t.Fatalf("a new key is malformed or not new")
		}
		seen[secret] = true
	}
}

// The checksum is part of the published format: scanners rely on it, so it can never change.
func TestChecksumIsStable(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"arp_00000000000000000000000000000000" + "00ugvG": true,
		"arp_00000000000000000000000000000000" + "00ugvH": false,
		"arp_": false,
		"":     false,
	} {
		if _, ok := apikey.Parse(key); ok != want {
			t.Errorf("%s: %v", key, ok)
		}
	}
}

// One wrong character never passes for a key, so that typing errors and lookalikes cost no look-up.
func TestOneWrongCharacter(t *testing.T) {
	t.Parallel()
	secret, _ := apikey.New()
	for i := range secret {
		for _, c := range []byte("0Az_ \x00\xff") {
			wrong := secret[:i] + string(c) + secret[i+1:]
			if wrong == secret {
				continue
			}
			if _, ok := apikey.Parse(wrong); ok {
				t.Errorf("character %d replaced by %q is accepted", i, c)
			}
		}
	}
}

// Refusing a wrong key must cost the collector nothing: 10 000 a second are expected.
func TestParseAllocatesNothing(t *testing.T) {
	secret, _ := apikey.New()
	wrong := secret[:41] + "!"
	if n := testing.AllocsPerRun(1_000, func() { apikey.Parse(secret); apikey.Parse(wrong) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Whatever a caller presents, only a well-formed key is looked up.
func FuzzParse(f *testing.F) {
	secret, _ := apikey.New()
	f.Add(secret)
	f.Add("")
	f.Add("arp_" + strings.Repeat("é", 19))
	f.Add(secret + "0")
	f.Fuzz(func(t *testing.T, presented string) {
		hash, ok := apikey.Parse(presented)
		if ok && (len(presented) != 42 || hash != sha256.Sum256([]byte(presented))) {
			t.Errorf("%q is taken for a key", presented)
		}
		if !ok && hash != [32]byte{} {
			t.Errorf("%q: a hash for what is no key", presented)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	secret, _ := apikey.New()
	wrong := secret[:41] + "!"
	b.Run("right", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			apikey.Parse(secret)
		}
	})
	b.Run("wrong", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			apikey.Parse(wrong)
		}
	})
}
