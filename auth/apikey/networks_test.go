package apikey_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"arpent/auth/apikey"
	"arpent/internal/fault"
)

func ExampleParseNetworks() {
	networks, err := apikey.ParseNetworks("203.0.113.7, 2001:db8::1/32")
	fmt.Println(networks, err)
	// Output: [203.0.113.7/32 2001:db8::/32] <nil>
}

// People paste lists of networks as they have them: each is understood as its network, or named as wrong.
func TestParseNetworks(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range apikey.MaxNetworks {
		many.WriteString("10.0." + string(rune('0'+i%10)) + "." + string(rune('0'+i/10)) + "\n")
	}
	for text, want := range map[string]string{
		"":                                   "",
		" \n,; ":                             "",
		"203.0.113.7":                        "203.0.113.7/32",
		"203.0.113.7, 203.0.113.9/24":        "203.0.113.7/32 203.0.113.0/24",
		"2001:DB8::1\r\n2001:db8:1::/48":     "2001:db8::1/128 2001:db8:1::/48",
		"::ffff:1.2.3.4 ::ffff:1.2.3.4/120":  "1.2.3.4/32 1.2.3.0/24",
		"10.0.0.1/8\u00a010.9.9.9/8":         "10.0.0.0/8",
		"0.0.0.0/0":                          "0.0.0.0/0",
		many.String() + many.String():        strings.Join(strings.Fields(many.String()), "/32 ") + "/32",
		"1.2.3.4.5":                          "!",
		"1.2.3":                              "!",
		"exemple.fr":                         "!",
		"10.0.0.0/33":                        "!",
		"fe80::1%eth0":                       "!",
		"::ffff:0.0.0.0/90":                  "!",
		"010.0.0.1":                          "!",
		many.String() + " 10.10.0.0":         "!",
		strings.Repeat("10.0.0.1 ", 100_000): "!",
	} {
		got, err := apikey.ParseNetworks(text)
		var words []string
		for _, p := range got {
			words = append(words, p.String())
		}
		if want == "!" {
			if !errors.Is(err, apikey.ErrNetworks) || fault.From(err).Code != fault.InvalidParameter || got != nil {
				t.Errorf("%.60q: %v, %v", text, words, err)
			}
		} else if err != nil || strings.Join(words, " ") != want {
			t.Errorf("%.60q: %v, %v", text, words, err)
		}
	}
}

// Whatever is pasted, what comes out are at most 50 different networks that the database takes.
func FuzzParseNetworks(f *testing.F) {
	f.Add("203.0.113.7, 2001:db8::/32\n::ffff:1.2.3.4/100")
	f.Add("fe80::1%eth0 1.2.3.4/-1 ::/0")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := apikey.ParseNetworks(text)
		if err != nil && (list != nil || !errors.Is(err, apikey.ErrNetworks)) {
			t.Errorf("%q: %v, %v", text, list, err)
		}
		if len(list) > apikey.MaxNetworks {
			t.Errorf("%q: %d networks", text, len(list))
		}
		for i, p := range list {
			if !p.IsValid() || p != p.Masked() || p.Addr().Is4In6() || slices.Contains(list[:i], p) {
				t.Errorf("%q: %v", text, list)
			}
		}
	})
}
