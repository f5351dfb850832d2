package mail_test

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"golang.org/x/tools/txtar"

	"arpent/app/dev/testkit"
	"arpent/internal/clock"
	"arpent/internal/mail"
)

var left = time.Date(2026, 11, 21, 13, 4, 0, 0, time.UTC)

// composeMail has a worker write and keep one message.
func composeMail(t *testing.T, j mail.Job) mail.Message {
	t.Helper()
	kept := mail.NewMemory(1)
	w := mail.NewWorker(mail.WorkerOptions{
		Sender: kept, BaseURL: "https://arpent.example", ServiceName: "Arpent", Contact: "aide@arpent.example", Clock: clock.At(left),
		Token: func(_ context.Context, purpose string, _ int64) (string, error) { return "TOKEN-" + purpose, nil },
	})
	if err := w.Work(t.Context(), &river.Job[mail.Job]{JobRow: &rivertype.JobRow{ID: 12, CreatedAt: left}, Args: j}); err != nil {
		t.Fatalf("%s: %v", j.Template, err)
	}
	return kept.List()[0]
}

func sampleJob(template mail.Template, language string) mail.Job {
	j := mail.Job{Template: template, To: "marie@exemple.fr", Language: language, Values: map[string]string{
		"at": "2026-11-21T13:04:00Z", "device": "Firefox, Linux", "address": "203.0.113.7", "name": "Tableau de bord <b>", "email": "marie.nouvelle@exemple.fr",
		"provider": "GitHub", "left": "7", "count": "3", "until": "2026-11-22T13:04:00Z", "expires": "2026-12-01T00:30:00Z", "starts": "2026-12-04T23:00:00Z", "domain": "cadastre-fils.fr",
		"owner": "jeanne@exemple.fr", "used": "20000", "percent": "80", "limit": "25000", "plan": "Pro", "was": "Standard", "now": "Free",
		"organisation": "Cadastre & Fils", "inviter": "jeanne@exemple.fr", "member": "marc@exemple.fr", "role": "developer",
		"sources": "dvf, ban", "lacking": "contours-communes",
		"cents": "22800", "object": "sub_1NQ8", "detail": "price_1Nabc",
		"what": map[string]string{"fr": "un client a un abonnement que ce service n’a pas créé.", "en": "a customer has a subscription that this service did not make."}[language],
	}}
	switch template {
	case mail.Invitation, mail.MemberJoined, mail.MemberRemoved, mail.OwnerAdded, mail.OwnerRemoved, mail.ContactChanged, mail.BecameOrganisation, mail.OrganisationDeleted,
		mail.FactorNeeded, mail.DomainLost, mail.JoinRequested, mail.JoinedByDomain, mail.JoinApproved:
	default: // as to a person
		delete(j.Values, "organisation")
	}
	switch template {
	case mail.QuotaPart:
		j.Values["used"], j.Values["percent"] = "12500", "50"
	case mail.PlanChanging: // to the free plan, a subscription ends
		j.Values["now"] = "Standard"
	case mail.KeyRevokedByOperator: // whose device and address the record leaves out
		delete(j.Values, "device")
		delete(j.Values, "address")
	}
	if purpose, ok := map[mail.Template]string{mail.Confirm: "confirm", mail.Reset: "reset", mail.EmailChange: "email", mail.Verify: "verify",
		mail.FactorRecovery: "recover", mail.NoticeConfirm: mail.PurposeNotices, mail.QuotaCopy: mail.PurposeNotices,
		mail.BillingConfirm: mail.PurposeBillingMails,
		mail.Invitation:     mail.PurposeInvitation}[template]; ok {
		j.Link = &mail.Link{Purpose: purpose, ID: 5}
	}
	return j
}

// Every message is there in both languages and is whole: a reader finds no hole, no mark of ours, and no
// markup that somebody typed. The texts are one golden file a language, reviewed as what customers read.
// ARPENT_MAIL_PAGES names a folder to write the pages to, to be looked at.
func TestLetters(t *testing.T) {
	t.Parallel()
	if !mail.SameTemplates() {
		t.Fatal("a message is missing in one language")
	}
	for _, language := range []string{"fr", "en"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			var letters []txtar.File
			for _, template := range mail.Templates() {
				m := composeMail(t, sampleJob(template, language))
				letters = append(letters, txtar.File{Name: string(template), Data: []byte(m.Subject + "\n\n" + m.Text)})
				t.Run(string(template), func(t *testing.T) { expectFilled(t, m, language) })
				for _, more := range [][2]string{{"granted", "Pro"}, {"reason", "ticket 4711"}, {"reserve", "4000"}} {
					given := sampleJob(template, language)
					given.Values[more[0]] = more[1]
					if more[0] == "reason" && strings.HasSuffix(string(template), "_deleted") { // by the operator
						delete(given.Values, "device")
						delete(given.Values, "address")
					}
					same := composeMail(t, given)
					if same.Text == m.Text {
						continue
					}
					name := string(template) + ", " + more[0]
					letters = append(letters, txtar.File{Name: name, Data: []byte(same.Subject + "\n\n" + same.Text)})
					t.Run(name, func(t *testing.T) { expectFilled(t, same, language) })
				}
				if dir := os.Getenv("ARPENT_MAIL_PAGES"); dir != "" {
					if err := os.WriteFile(filepath.Join(dir, string(template)+"."+language+".html"), []byte(m.HTML), 0o600); err != nil {
						t.Error(err)
					}
				}
			}
			testkit.GoldenArchive(t, "mails."+language+".txtar", letters)
		})
	}
}

// A message about a webhook goes to all who manage it: in an organisation it does not ask a reader whether
// they did what another member did.
func TestWebhookOfAnOrganisation(t *testing.T) {
	t.Parallel()
	for _, template := range []mail.Template{mail.WebhookAdded, mail.WebhookChanged, mail.WebhookSecret} {
		j := sampleJob(template, "fr")
		j.Values["organisation"], j.Values["by"] = "Cadastre & Fils", "paul@exemple.fr"
		m := composeMail(t, j)
		expectFilled(t, m, "fr")
		if !strings.Contains(m.Text, "pas prévu dans l’organisation Cadastre & Fils") || strings.Contains(m.Text, "Si ce n’est pas vous") ||
			!strings.Contains(m.Text, "paul@exemple.fr") {
			t.Errorf("%s: %s", template, m.Text)
		}
	}
}

func expectFilled(t *testing.T, m mail.Message, language string) {
	t.Helper()
	if hole := regexp.MustCompile(`[{}~]|%!|  |\s:|\s[;?!]|« | »|"`).FindString(m.Subject + m.Text); hole != "" && !(language == "fr" && strings.HasPrefix(hole, "\u00a0")) {
		t.Errorf("%q in:\n%s\n%s", hole, m.Subject, m.Text)
	}
	if wrong := regexp.MustCompile(`clés? d’accès`).FindString(m.Subject + m.Text); wrong != "" {
		t.Errorf("%q is a passkey to French readers", wrong)
	}
	if _, body, _ := strings.Cut(m.HTML, "</title>"); strings.Contains(body, "e-mail") {
		t.Error("the page breaks a line after the hyphen of e-mail")
	}
	if strings.Contains(m.HTML, "<b>") || strings.Contains(m.HTML, "{") && !strings.Contains(m.HTML, "<style>") {
		t.Errorf("markup or marks in the page:\n%s", m.HTML)
	}
	if !strings.Contains(m.HTML, `<html lang="`+language+`">`) || m.Language != language {
		t.Error("the page does not say its language")
	}
	if n := strings.Count(m.HTML, `class="button"`); n > 1 {
		t.Errorf("%d buttons", n)
	}
}

// A message about an act says when, from where and with what, and what to do about it.
func TestActsAreDescribed(t *testing.T) {
	t.Parallel()
	for _, template := range mail.Templates() {
		switch template {
		case mail.Confirm, mail.AssistantLeft, mail.AssistantReused, mail.KeyExpiring, mail.Quota80, mail.QuotaPart, mail.Quota100, mail.ReserveUsed, mail.ReserveEnded, mail.NoticeConfirm, mail.QuotaCopy, mail.BillingConfirm, mail.PlanStarted, mail.PlanChanged, mail.PaymentFailed,
			mail.Recovered, mail.GraceOver, mail.PlanEnded, mail.PlanEnding, mail.PlanChanging, mail.PlanRenewing, mail.PlanKept, mail.SourcesKept, mail.PlansOnSale,
			mail.AddressNeeded, mail.BillingFinding, mail.FactorRecovery, mail.KeyRevokedByOperator, mail.WebhookOff,
			mail.Invitation, mail.MemberJoined, mail.MemberRemoved, mail.TokenExpiring,
			mail.FactorNeeded, mail.DomainLost, mail.JoinRequested, mail.JoinedByDomain, mail.JoinApproved:
			continue
		}
		m := composeMail(t, sampleJob(template, "fr"))
		for _, want := range []string{"21\u00a0novembre\u00a02026 à\u00a014:04 (heure de Paris)", "Firefox, Linux", "203.0.113.7", "Si ce n’est pas vous"} {
			if !strings.Contains(m.Text, want) {
				t.Errorf("%s: no %q in\n%s", template, want, m.Text)
			}
			if !strings.Contains(m.HTML, want) {
				t.Errorf("%s: no %q in the page", template, want)
			}
		}
	}
	bare := composeMail(t, mail.Job{Template: mail.EmailChanged, To: "a@b.fr", Language: "en", Values: map[string]string{"email": "c@d.fr"}})
	if strings.Contains(bare.Text, "Device") || !strings.Contains(bare.Text, "When: 21\u00a0November\u00a02026 at 14:04") {
		t.Errorf("without values:\n%s", bare.Text)
	}
}

// A provider is called in a mail what its button says.
func TestProviderIsCalledByItsName(t *testing.T) {
	t.Parallel()
	kept := mail.NewMemory(1)
	w := mail.NewWorker(mail.WorkerOptions{Sender: kept, BaseURL: "https://arpent.example", ServiceName: "Arpent", OIDCName: "Ma Société", Clock: clock.At(left)})
	j := mail.Job{Template: mail.IdentityUnlinked, To: "marie@exemple.fr", Language: "fr", Values: map[string]string{"provider": "oidc"}}
	if err := w.Work(t.Context(), &river.Job[mail.Job]{JobRow: &rivertype.JobRow{ID: 12, CreatedAt: left}, Args: j}); err != nil {
		t.Fatal(err)
	}
	if m := kept.List()[0]; !strings.Contains(m.Text, "Ma Société") || strings.Contains(m.Text, "OpenID") {
		t.Errorf("%s", m.Text)
	}
}

// Every mail to a further address for notices has the link that stops them, as a text and for programs; no
// other mail has.
func TestFurtherAddressesCanStop(t *testing.T) {
	t.Parallel()
	const stop, stopCopies = "https://arpent.example/notices/TOKEN-notices", "https://arpent.example/billing-mails/TOKEN-billing-mails"
	for _, template := range mail.Templates() {
		m := composeMail(t, sampleJob(template, "en"))
		want := map[mail.Template]string{mail.NoticeConfirm: stop, mail.QuotaCopy: stop, mail.BillingConfirm: stopCopies}[template]
		if m.Unsubscribe != want || want == "" && strings.Contains(m.Text+m.HTML, "/TOKEN-notices") ||
			!strings.Contains(m.Text, want) || !strings.Contains(m.HTML, want) {
			t.Errorf("%s: stopped at %q, in the mail: %v", template, m.Unsubscribe, strings.Contains(m.Text, stop))
		}
	}
}

// The copy of a mail about payments names the account that it is about, asks its reader to open no page of
// that account, and has the link that stops the copies.
func TestCopiesOfBillingMails(t *testing.T) {
	t.Parallel()
	for language, want := range map[string][]string{"fr": {"Copie d’un message au compte Arpent jeanne@exemple.fr.", "Pour ne plus en recevoir"},
		"en": {"Copy of a message to the Arpent account jeanne@exemple.fr.", "To stop them: "}} {
		for _, template := range []mail.Template{mail.PaymentFailed, mail.PlanChanged, mail.ReserveUsed, mail.ReserveEnded} {
			own := composeMail(t, sampleJob(template, language))
			j := sampleJob(template, language)
			j.Link = &mail.Link{Purpose: mail.PurposeBillingMails, ID: 5}
			m := composeMail(t, j)
			if m.Subject != own.Subject+" · jeanne@exemple.fr" || strings.Contains(m.HTML, `class="button"`) || strings.Contains(m.Text, "/account/") {
				t.Errorf("%s: %q, %s", template, m.Subject, m.Text)
			}
			for _, text := range append(want, "https://arpent.example/billing-mails/TOKEN-billing-mails?lang="+language) {
				if !strings.Contains(m.Text, text) {
					t.Errorf("%s: no %q in\n%s", template, text, m.Text)
				}
			}
			if m.Unsubscribe != "https://arpent.example/billing-mails/TOKEN-billing-mails" {
				t.Errorf("%s: stopped at %q", template, m.Unsubscribe)
			}
			expectFilled(t, m, language)
			if j.Values["organisation"] = "Cadastre & Fils"; !strings.HasSuffix(composeMail(t, j).Subject, " · Cadastre & Fils") {
				t.Errorf("%s: the subject does not name the organisation", template)
			}
		}
	}
}

// Who pays for a plan by the year reads how it is paid and that it is renewed each year; a change of that
// alone does not speak of other limits.
func TestIntervalsAreNamed(t *testing.T) {
	t.Parallel()
	for language, want := range map[string][3]string{
		"fr": {"Votre offre Pro (à l’année) est active", "se renouvelle chaque année", "Vous payez désormais l’offre Pro (à l’année)."},
		"en": {"Your Pro (by the year) plan is active", "renews each year", "You now pay for Pro (by the year)."},
	} {
		j := sampleJob(mail.PlanStarted, language)
		j.Values["plan_interval"], j.Values["yearly"] = "year", "yes"
		m := composeMail(t, j)
		if m.Subject != want[0] || !strings.Contains(m.Text, want[1]) || strings.Contains(m.Text, "chaque mois") || strings.Contains(m.Text, "each month") {
			t.Errorf("%s: %s", m.Subject, m.Text)
		}
		j = sampleJob(mail.PlanChanged, language)
		j.Values["plan_interval"], j.Values["was_interval"] = "year", "month"
		if m := composeMail(t, j); !strings.Contains(m.Text, map[string]string{"fr": "de l’offre Standard (au mois) à l’offre Pro (à l’année)", "en": "from the Standard (by the month) plan to the Pro (by the year) plan"}[language]) {
			t.Error(m.Text)
		}
		delete(j.Values, "was")
		if m := composeMail(t, j); !strings.Contains(m.Text, want[2]) || strings.Contains(m.Text, "tout de suite") || strings.Contains(m.Text, "hold at once") {
			t.Error(m.Text)
		}
	}
}

// A link is in the message and nowhere in the job that waits in the database.
func TestLinksAreMadeWhenTheMailLeaves(t *testing.T) {
	t.Parallel()
	j := sampleJob(mail.Reset, "fr")
	waiting := testkit.Must(json.Marshal(j))(t)
	m := composeMail(t, j)
	const link = "https://arpent.example/reset/TOKEN-reset?lang=fr"
	if !strings.Contains(m.Text, "\n"+link+"\n") || !strings.Contains(m.HTML, `href="`+link+`"`) {
		t.Errorf("no link in:\n%s", m.Text)
	}
	if strings.Contains(string(waiting), "TOKEN") {
		t.Errorf("the job holds the link: %s", waiting)
	}
}

// A page that a mail leads to comes in the language of the mail, whatever the reader's browser asks for. Only
// the address of the service itself, by which it signs, is in none.
func TestLinksAreInTheLanguageOfTheMail(t *testing.T) {
	t.Parallel()
	page := regexp.MustCompile(`https://arpent\.example/[^\s"<>]*`)
	for _, language := range []string{"fr", "en"} {
		for _, template := range mail.Templates() {
			m := composeMail(t, sampleJob(template, language))
			for _, address := range append(page.FindAllString(m.Text, -1), page.FindAllString(m.HTML, -1)...) {
				if to, err := url.Parse(address); err != nil || to.RawQuery != "lang="+language {
					t.Errorf("%s in %s leads to %s", template, language, address)
				}
			}
		}
	}
}

// What somebody typed cannot add a line, an address or a direction to a mail.
func TestValuesAreOneLine(t *testing.T) {
	t.Parallel()
	j := sampleJob(mail.KeyCreated, "en")
	j.Values["name"] = "x\r\n\r\nPay at https://evil.example\u202e\u2028y" + strings.Repeat("z", 1000)
	m := composeMail(t, j)
	if strings.Contains(m.Text, "\nPay") || strings.ContainsAny(m.Text, "\u202e\u2028\r") || strings.Contains(m.Text, strings.Repeat("z", 201)) {
		t.Errorf("%s", m.Text)
	}
}

// A third party is named as people know it, not as our configuration does.
func TestProvidersAreNamed(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"github": "GitHub", "oidc": "OpenID Connect", "google": "Google", "Ma Société": "Ma Société"} {
		j := sampleJob(mail.IdentityLinked, "en")
		j.Values["provider"] = name
		testkit.Want(t, composeMail(t, j).Subject, "Signing in with "+want+" was added", name)
	}
}

// A member of several organisations reads in each letter about one which one it is about and who acted; a
// letter about a person's own account has no such line.
func TestLettersNameTheOrganisation(t *testing.T) {
	t.Parallel()
	for _, template := range []mail.Template{mail.KeyCreated, mail.KeyExpiring, mail.Quota80, mail.PlanChanged, mail.PaymentFailed} {
		for language, want := range map[string][]string{"fr": {"Organisation\u00a0: Cadastre & Fils", "Fait par\u00a0: marc@exemple.fr"},
			"en": {"Organisation: Cadastre & Fils", "Done by: marc@exemple.fr"}} {
			j := sampleJob(template, language)
			if m := composeMail(t, j); strings.Contains(m.Text+m.Subject, "Cadastre") || strings.Contains(m.Text, want[1]) {
				t.Errorf("%s to a person: %s", template, m.Text)
			}
			j.Values["organisation"], j.Values["by"] = "Cadastre & Fils", "marc@exemple.fr"
			delete(j.Values, "member")
			m := composeMail(t, j)
			if !strings.HasSuffix(m.Subject, " · Cadastre & Fils") {
				t.Errorf("%s: %s", template, m.Subject)
			}
			for _, line := range want {
				if !strings.Contains(m.Text, line) {
					t.Errorf("%s: no line %q in %s", template, line, m.Text)
				}
			}
		}
	}
}
