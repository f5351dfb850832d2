package pages

import (
	"net/url"
	"strings"
	"testing"
)

// A redirect to next stays on this server, as a browser reads the address.
func FuzzLocalPath(f *testing.F) {
	for _, next := range []string{"/account", "//evil.example", "/\\evil.example", "/.//evil.example", "/%2F/evil.example", "https://arpent.example/docs", "https:evil.example",
		"https://arpent.example@evil.example/", "/a?b=//c#d", "\t//evil.example", "/..//evil.example", "javascript:x", "/%zz", "/\x00"} {
		f.Add(next)
	}
	home, err := url.Parse("https://arpent.example/signin")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, next string) {
		for _, host := range []string{"", home.Host} {
			path := LocalPath(next, "/account", host)
			// Browsers take a backslash for a slash, and drop tabs and line ends.
			seen := strings.NewReplacer("\\", "/", "\t", "", "\r", "", "\n", "").Replace(path)
			to, err := home.Parse(seen)
			if err != nil || to.Host != home.Host || to.Scheme != home.Scheme || strings.HasPrefix(to.Path, "//") || strings.ContainsAny(path, "\r\n\x00") {
				t.Errorf("%q leads to %q: %v, %v", next, path, to, err)
			}
		}
	})
}
