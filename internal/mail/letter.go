package mail

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"arpent/internal/clock"
)

// letter is one message in one language. In its texts ~ is a no-break space, {name} is a
// value of the job, {link} its link, or one of the addresses below. A paragraph that names a value which is
// not there is left out; {!name} is there only then.
type letter struct {
	subject string
	body    []string
	button  string   // what the button says; empty: no button
	path    string   // of the portal, where the button leads; empty: the link of the job
	after   []string // under the button
}

// actionTemplates are the messages of what somebody did: they say when, on what device, from what address.
var actionTemplates = []Template{SignUpExists, Reset, Verify, EmailChange, EmailChanged, EmailTaken,
	NewSignIn, PasswordChanged, TwoFactorOn,
	TwoFactorOff, RecoveryCodeUsed, RecoveryCodesNew, IdentityLinked, IdentityUnlinked,
	PasskeyAdded, PasskeyRemoved, PasskeyCloned, LinkFirst, SessionsEnded,
	KeyCreated, TokenCreated, WebhookAdded, WebhookChanged, WebhookSecret,
	AssistantAdded, KeyRotated, KeyRevoked, KeyRevokedByOperator, KeysRevoked, OwnerAdded, OwnerRemoved,
	ContactChanged, BecameOrganisation, OrganisationDeleted, AccountDeleted,
	FactorRecoveryDue}

// locale is what all messages of a language share.
type locale struct {
	letters               map[Template]letter
	greeting              string
	when, device, address string
	// of a copy to a further address: whose message it is, how its reader stops them
	copyOf, stopCopies string
	copyLink           string // above the address that the button leads to
	footer             []string
	colon              string
	thousands          string
	euros              string            // format of an amount: euros, then cents
	organisation, by   string            // labels: which organisation, and which of its members
	roles              map[string]string // in an organisation
	free               string            // the free plan, after the word for plan
	intervals          map[string]string // how a plan is paid: month, year
	eachYear           string
	date               func(time.Time) string // in Paris
}

// pagePaths are the pages that texts name, by their {name}. {home} is the service itself, in no language.
var pagePaths = map[string]string{
	"signin":   "/signin",
	"forgot":   "/forgot",
	"security": "/account/security",
	"keys":     "/account/keys",
	"tokens":   "/account/tokens",
	"usage":    "/account/usage",
	"settings": "/account/settings",
	"events":   "/docs/events",
}

// serviceInfo is what a message says of the service.
type serviceInfo struct{ baseURL, service, contact, oidcName string }

// pageURL is the address of a page of the portal in the language of a message: that
// of the reader's browser may be another one.
func (s serviceInfo) pageURL(path, language string) string {
	return s.baseURL + path + "?lang=" + language
}

const valueLength = 200 // characters of a value that are shown

// oneLine makes a text safe for a header or a line: what ends a line,
// or turns the writing direction, is left out.
func oneLine(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.ToValidUTF8(s, "") {
		switch {
		case unicode.Is(unicode.Bidi_Control, r):
			continue
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			r = ' '
		}
		if n++; n > valueLength {
			break
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

// templateValues are what the texts may name: those of the job, as the
// language writes them, and what is always there.
func (v *locale) templateValues(from serviceInfo, j Job, queuedAt time.Time) map[string]string {
	out := map[string]string{"service": from.service, "contact": from.contact, "to": oneLine(j.To)}
	for name, value := range j.Values {
		out[name] = oneLine(value)
	}
	if _, err := time.Parse(time.RFC3339, out["at"]); err != nil {
		out["at"] = queuedAt.Format(time.RFC3339)
	}
	for _, name := range []string{"at", "until", "expires", "starts"} {
		if t, err := time.Parse(time.RFC3339, out[name]); err == nil {
			out[name] = v.date(t.In(clock.Paris))
		}
	}
	for _, name := range []string{"used", "limit", "count", "left", "reserve"} {
		if n, err := strconv.ParseInt(out[name], 10, 64); err == nil {
			out[name] = groupDigits(n, v.thousands)
		}
	}
	if cents, err := strconv.ParseInt(out["cents"], 10, 64); err == nil {
		out["amount"] = fmt.Sprintf(v.euros, groupDigits(cents/100, v.thousands), cents%100)
	}
	for _, name := range []string{"plan", "was", "now"} {
		if out[name] == freePlan {
			out[name] = v.free
		}
		if interval := v.intervals[out[name+"_interval"]]; interval != "" && out[name] != "" {
			out[name] += " (" + interval + ")"
		}
	}
	if out["yearly"] != "" {
		out["yearly"] = v.eachYear
	}
	if role := v.roles[out["role"]]; role != "" {
		out["role"] = role
	}
	if out["provider"] == "oidc" && from.oidcName != "" {
		out["provider"] = from.oidcName
	} else if name, ok := ProviderNames[out["provider"]]; ok {
		out["provider"] = name
	}
	return out
}

// RoleName is a role in an organisation as people read it; empty: there is no such role.
func RoleName(language, role string) string { return localeOf(language).roles[role] }

// localeOf returns the locale of a language; French for an unknown one.
func localeOf(language string) *locale {
	if language == "en" {
		return english
	}
	return french
}

// freePlan is the title of the plan whose name is a word of the language.
const freePlan = "Free"

// ProviderNames are the third parties as people know them.
var ProviderNames = map[string]string{"google": "Google", "github": "GitHub", "microsoft": "Microsoft",
	"gitlab": "GitLab", "oidc": "OpenID Connect"}

func groupDigits(n int64, separator string) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + separator + digits[i:]
	}
	return digits
}

// span is a piece of a paragraph: text, or an address to follow.
type span struct{ text, href string }

// fillParagraph puts the values into a paragraph; false when one is not there.
func (s serviceInfo) fillParagraph(
	paragraph string, values map[string]string, language string) ([]span, bool) {
	var out []span
	for rest := strings.ReplaceAll(paragraph, "~", "\u00a0"); ; {
		before, after, found := strings.Cut(rest, "{")
		if before != "" {
			out = append(out, span{text: before})
		}
		if !found {
			return out, true
		}
		var name string
		name, rest, _ = strings.Cut(after, "}")
		if without, ok := strings.CutPrefix(name, "!"); ok {
			if values[without] != "" {
				return nil, false
			}
			continue
		}
		if name == "home" {
			out = append(out, span{text: s.baseURL, href: s.baseURL})
			continue
		}
		if name == "link" && values[name] != "" {
			out = append(out, span{text: values[name], href: values[name]})
			continue
		}
		if path, ok := pagePaths[name]; ok {
			page := s.pageURL(path, language)
			out = append(out, span{text: page, href: page})
			continue
		}
		if values[name] == "" {
			return nil, false
		}
		out = append(out, span{text: values[name]})
	}
}

// renderMessage writes a message, as text and as a page. link is the path of
// its single-use link; empty: there is none.
func renderMessage(
	ctx context.Context, from serviceInfo, j Job, link string, queuedAt time.Time) (Message, error) {
	language, v := "fr", localeOf(j.Language)
	if v == english {
		language = "en"
	}
	l, ok := v.letters[j.Template]
	if !ok {
		return Message{}, fmt.Errorf("there is no message %q", j.Template)
	}
	if l.button != "" && l.path == "" && link == "" {
		return Message{}, fmt.Errorf("the message %q needs a link", j.Template)
	}
	values := v.templateValues(from, j, queuedAt)
	if link != "" {
		values["link"] = from.pageURL(link, language)
	}
	if j.Link != nil && j.Link.Purpose == PurposeBillingMails && j.Template != BillingConfirm {
		// A copy for a further address. Its reader has no page of the account to open.
		if values["organisation"] == "" {
			l.subject += " · {owner}"
		}
		l = letter{subject: l.subject, body: append([]string{v.copyOf}, l.body...), after: []string{v.stopCopies}}
	}
	subject, ok := from.fillParagraph(l.subject, values, language)
	if !ok {
		return Message{}, fmt.Errorf("the message %q lacks a value of its subject", j.Template)
	}
	p := parts{voice: v, language: language, service: from.service, subject: joinSpans(subject),
		button: l.button}
	if p.single = l.button != "" && l.path == ""; p.single {
		p.target = values["link"]
	} else {
		p.target = from.pageURL(l.path, language)
	}
	fillAll := func(paragraphs []string) (out [][]span) {
		for _, text := range paragraphs {
			if spans, ok := from.fillParagraph(text, values, language); ok {
				out = append(out, spans)
			}
		}
		return out
	}
	p.body, p.after, p.footer = fillAll(l.body), fillAll(l.after), fillAll(v.footer)
	if organisation := values["organisation"]; organisation != "" && !strings.Contains(l.subject, "{organisation}") {
		p.subject += " · " + organisation
		p.facts = append(p.facts, fact{v.organisation, organisation})
	}
	if by := values["by"]; by != "" && by != values["member"] && by != values["inviter"] {
		p.facts = append(p.facts, fact{v.by, by})
	}
	if slices.Contains(actionTemplates, j.Template) {
		p.facts = append(p.facts, v.messageFacts(values)...)
	}
	var html strings.Builder
	if err := page(p).Render(ctx, &html); err != nil {
		return Message{}, fmt.Errorf("lay out the message %q: %w", j.Template, err)
	}
	return Message{Subject: p.subject, Text: p.plainText(), HTML: html.String(), Language: language}, nil
}

// fact is a line of what is known about who did something.
type fact struct{ label, value string }

func (v *locale) messageFacts(values map[string]string) []fact {
	var out []fact
	for _, f := range []fact{{v.when, values["at"]}, {v.device, values["device"]},
		{v.address, values["address"]}} {
		if f.value != "" {
			out = append(out, f)
		}
	}
	return out
}

func joinSpans(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.text)
	}
	return b.String()
}
