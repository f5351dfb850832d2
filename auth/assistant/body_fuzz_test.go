package assistant_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"arpent/auth/assistant"
)

// A form that is taken says what the standard library reads in it, and nothing in it harms a database or a log.
func FuzzForm(f *testing.F) {
	for _, text := range []string{"grant_type=authorization_code&code=a&client_id=b", "a=1&a=2", "a;b=1", "%zz=1", "state=%ff&client_id=%00", "a=%00", "&&=&a", "a+b=c+d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		form, err := assistant.ReadForm(text)
		if err != nil {
			return
		}
		for name, value := range form.Values() {
			if want, err := url.ParseQuery(strings.ReplaceAll(text, ";", "%3B")); err != nil || want.Get(name) != value {
				t.Errorf("%q: %s is %q, expected %q (%v)", text, name, value, want.Get(name), err)
			}
			if (!utf8.ValidString(value) || strings.Contains(value, "\x00")) && name != "state" && name != "client_id" {
				t.Errorf("%q: %s is %q", text, name, value)
			}
		}
	})
}

// No header and no form make reading a client's credentials fail otherwise than with a refusal, and none are read twice.
func FuzzCredentials(f *testing.F) {
	f.Add("Basic YTpi", "grant_type=x")
	f.Add("basic YSUzQTpi", "client_id=a%3A")
	f.Add("Bearer x", "client_id=a&client_secret=b")
	f.Add("Basic YTpi", "client_id=c&client_secret=d")
	f.Add("Basic \xff", "")
	f.Fuzz(func(t *testing.T, header, text string) {
		form, err := assistant.ReadForm(text)
		if err != nil {
			return
		}
		id, _, err := assistant.ReadCredentials(header, form)
		if err == nil && (id == "" || form.Values()["client_id"] != "" && form.Values()["client_id"] != id) {
			t.Errorf("%q, %q: client %q", header, text, id)
		}
	})
}

// What is registered leads nowhere but to the addresses that are allowed, and its answer holds no null.
func FuzzRegistration(f *testing.F) {
	f.Add(`{"redirect_uris":["https://x.example/"],"client_name":"\u0000\ud800","contacts":[null],"grant_types":[]}`)
	f.Add(`{"redirect_uris":["a:/b","http://[::1]:1/x?y"],"client_uri":"https://\u0000","token_endpoint_auth_method":"none"}`)
	f.Add(`{"redirect_uris":["http://localhost:1/cb"],"token_endpoint_auth_method":"client_secret_basic","logo_uri":"javascript:x","scope":5}`)
	f.Add(`{"redirect_uris":"https://x.example"}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, body string) {
		name, redirects, echo, err := assistant.ReadRegistration([]byte(body))
		if err != nil {
			return
		}
		if len(redirects) == 0 || name == "" || !utf8.ValidString(name) {
			t.Errorf("%q: name %q, redirects %q", body, name, redirects)
		}
		for _, to := range redirects {
			if wrong := assistant.CheckRedirect(to); wrong != "" || strings.ContainsAny(to, "\r\n \x00") {
				t.Errorf("%q leads to %q: %s", body, to, wrong)
			}
		}
		text, err := json.Marshal(echo)
		var back map[string]any
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		for name, value := range back {
			if value == nil {
				t.Errorf("%q: %s is null", body, name)
			}
		}
		if err != nil {
			t.Errorf("%q: %v", body, err)
		}
	})
}
