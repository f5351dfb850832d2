package policy_test

import (
	"errors"
	"strings"
	"testing"

	"arpent/auth"
	"arpent/auth/policy"
)

// A domain is stored as the domains of addresses are, so that both are compared byte by byte; what no company
// can prove is refused with the reason.
func TestNormalize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"exemple.fr": "exemple.fr", " Exemple.FR. ": "exemple.fr", "@exemple.fr": "exemple.fr", "mairie.exemple.fr": "mairie.exemple.fr",
		"exämple.fr": "xn--exmple-cua.fr", "XN--exmple-cua.fr": "xn--exmple-cua.fr", "exemple.co.uk": "exemple.co.uk",
		"exemple.github.io": "exemple.github.io",
		"fr":                auth.CodeDomainInvalid, "co.uk": auth.CodeDomainInvalid, "github.io": auth.CodeDomainInvalid, "": auth.CodeDomainInvalid,
		"exemple.interne": auth.CodeDomainInvalid, "192.0.2.1": auth.CodeDomainInvalid, "exemple.fr\x00": auth.CodeDomainInvalid,
		"a@exemple.fr": auth.CodeDomainInvalid, "exemple.fr:53": auth.CodeDomainInvalid, "exemple_1.fr": auth.CodeDomainInvalid, "*.exemple.fr": auth.CodeDomainInvalid,
		"gmail.com": auth.CodeDomainPublic, "GMAIL.com": auth.CodeDomainPublic, "equipe.gmail.com": auth.CodeDomainPublic,
	} {
		got, err := policy.Normalize(text)
		if p, ok := errors.AsType[*auth.Problem](err); ok {
			got = p.Code
		}
		if got != want {
			t.Errorf("%q is %q, not %q (%v)", text, got, want, err)
		}
	}
	if shown := policy.Unicode("xn--exmple-cua.fr"); shown != "exämple.fr" {
		t.Errorf("shown as %q", shown)
	}
	if shown := policy.Unicode("exemple.fr"); shown != "" {
		t.Errorf("an ASCII name has %q as its other form", shown)
	}
}

// Whatever is typed, a name that is accepted is the domain of an address, and is accepted as it is.
func FuzzNormalize(f *testing.F) {
	for _, seed := range []string{"exemple.fr", "exämple.fr", "@gmail.com", "192.0.2.1", "a..b", "ß.fr", "xn--a.fr"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, err := policy.Normalize(text)
		if err != nil {
			return
		}
		if again, err := policy.Normalize(name); err != nil || again != name {
			t.Errorf("%q is %q, which is %q: %v", text, name, again, err)
		}
		if email, err := auth.NormalEmail("jeanne@" + name); err != nil || !strings.HasSuffix(email, "@"+name) {
			t.Errorf("%q: %q, %v", name, email, err)
		}
	})
}
