package assistant_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"arpent/auth/assistant"
)

// What a client calls itself cannot deceive whoever reads the page: one line of visible text of bounded length.
func TestCleanName(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"Claude": "Claude", "  Le   Chat\n": "Le Chat", "Été": "Été", "日本語": "日本語", "<b>x</b>": "<b>x</b>",
		"": "", " \t\u00a0\u2003": "", "\u200b\u200d\ufeff": "", "\u3164\u2800": "", "a\x00b\x1b[31m": "ab[31m", "\u202egnp.exe": "gnp.exe",
		"a\u2066b\u2069c": "abc", "a\u2028b": "a b", "bad\xff": "bad", "MCP · Claude": "Claude", "MCP · MCP ·x": "x",
		"Z\u0335\u0336\u0337\u0338\u0339a": "Z\u0335\u0336a", "\u0301x": "x", "\ue000\U000f0000": "",
		strings.Repeat("é", 54): strings.Repeat("é", 54), strings.Repeat("é", 55): strings.Repeat("é", 53) + "…",
	} {
		if got := assistant.CleanName(said); got != want {
			t.Errorf("%q is cleaned to %q, want %q", said, got, want)
		}
	}
}

func FuzzCleanName(f *testing.F) {
	f.Add("MCP · \u202e\u0301 x\u00a0")
	f.Fuzz(func(t *testing.T, said string) {
		got := assistant.CleanName(said)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > assistant.MaxName || strings.TrimSpace(got) != got || strings.ContainsAny(got, "\x00\n\u202e") {
			t.Errorf("%q is cleaned to %q", said, got)
		}
	})
}

// A client without a name is called after where its answers go; whatever it says, its key has a name that fits.
func TestKeyNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.account("a")
	long := strings.Repeat("x", 200)
	for _, said := range []string{"", "\u200b", long, long} {
		w.connect(a, w.public(said))
	}
	var names string
	if err := w.pool.QueryRow(t.Context(), `SELECT string_agg(name, '|' ORDER BY id) FROM account.api_key`).Scan(&names); err != nil {
		t.Fatal(err)
	}
	want := "MCP · assistant.example|MCP · assistant.example (2)|MCP · " + strings.Repeat("x", 53) + "…|MCP · " + strings.Repeat("x", 50) + " (2)"
	if names != want {
		t.Errorf("%s, want %s", names, want)
	}
}

// The memory for tokens has an end.
func TestTokenCacheIsBounded(t *testing.T) {
	t.Parallel()
	if n := assistant.FullCache(1000, 5000, noon); n > 1000 {
		t.Errorf("%d are kept", n)
	}
}
