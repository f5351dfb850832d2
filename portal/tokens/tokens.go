// Package tokens holds the pages of management tokens, by which programs read an account.
package tokens

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/apikey"
	"arpent/auth/management"
	"arpent/internal/httpbody"
	"arpent/portal/pages"
	"arpent/web"
)

// Pages serves the pages.
type Pages struct{ *pages.Server }

// Path is the address of the list.
const Path = "/account/tokens"

// List shows the tokens of the account.
func (p *Pages) List(c *fiber.Ctx, v *pages.Visitor) error {
	list, err := p.Tokens.List(v.Ctx, v.Account)
	if err != nil {
		return err
	}
	page := Tokens{Frame: v.Frame, Done: c.Query("done"), Confirmed: v.Session.Confirmed,
		Email:    v.Session.Email,
		MailDown: p.MailDown, Max: management.MaxTokens}
	for _, t := range list {
		shown := p.viewToken(v, t)
		if !t.Expired(p.Now()) {
			page.Live++
		}
		page.Tokens = append(page.Tokens, shown)
	}
	return web.Send(c, TokensPage(page))
}

func (p *Pages) viewToken(v *pages.Visitor, t management.Token) Token {
	shown := Token{ID: int64(t.ID), Name: t.Name, Code: management.Mark + "…" + t.Last4,
		CreatedAt: t.CreatedAt,
		ExpiresAt: t.ExpiresAt, LastUsedAt: t.LastUsedAt, Expired: t.Expired(p.Now()), Void: t.Void}
	for _, s := range t.Scopes {
		shown.Scopes = append(shown.Scopes, string(s))
	}
	if v.Session.ActsForOrganisation() {
		shown.Maker = t.Maker
	}
	return shown
}

// NewForm shows the form of a new token.
func (p *Pages) NewForm(c *fiber.Ctx, v *pages.Visitor) error {
	return p.sendForm(c, v, Form{Days: 90})
}

func (p *Pages) sendForm(c *fiber.Ctx, v *pages.Visitor, f Form) error {
	f.Frame, f.Confirmed, f.Email, f.MailDown = v.Frame, v.Session.Confirmed, v.Session.Email, p.MailDown
	f.Lifetimes, f.Shared = management.Lifetimes, v.Session.ActsForOrganisation()
	for _, s := range management.Scopes {
		f.Scopes = append(f.Scopes, string(s))
	}
	return web.Send(c, NewPage(f))
}

// Create makes a token and shows its secret. It does not redirect: the secret could not be shown after
// that. Sent again, the same form is rejected for its name.
func (p *Pages) Create(c *fiber.Ctx, v *pages.Visitor) error {
	n := management.NewToken{Name: strings.ToValidUTF8(pages.Text(c, "name"), "\ufffd")}
	n.Days, _ = strconv.Atoi(pages.Text(c, "days")) // of what is no number 0, which is no lifetime
	form := Form{Name: n.Name, Days: n.Days}
	for _, s := range management.Scopes {
		if httpbody.Field(c, fieldOf(string(s))) != "" {
			n.Scopes = append(n.Scopes, s)
			form.Chosen = append(form.Chosen, string(s))
		}
	}
	t, secret, err := p.Tokens.Create(v.Ctx, v.Account, n)
	if err == nil {
		c.Status(fiber.StatusCreated)
		return web.Send(c, MadePage(Made{Frame: v.Frame, Name: t.Name, Secret: secret, ExpiresAt: t.ExpiresAt,
			Operation: operationFor(t.Scopes[0])}))
	}
	if form.Problems = problemsOf(v.Frame.Lang, err); form.Problems == nil {
		return err
	}
	c.Status(fiber.StatusUnprocessableEntity)
	return p.sendForm(c, v, form)
}

// operationFor is the path of a call that a scope allows.
func operationFor(s management.Scope) string {
	name, _, _ := strings.Cut(string(s), ":")
	return "/account/v1/" + name
}

// fieldOf is the name of the field of a scope: a colon has a meaning in selectors of style sheets and tests.
func fieldOf(scope string) string { return "scope_" + strings.TrimSuffix(scope, ":read") }

// problemTexts are the texts of the errors of the form, with the field next to which each is shown.
var problemTexts = []struct {
	err                    error
	field, french, english string
}{
	{management.ErrUnconfirmed, "", "Confirmez d’abord votre adresse\u00a0: le lien est dans le message " +
		"que nous vous avons envoyé.", "Confirm your address first: the link is in the message that we " +
		"sent you."},
	{apikey.ErrNameText, "name", "Un nom est un texte, sans caractère invisible.",
		"A name is text, without invisible characters."},
	{apikey.ErrNameLength, "name", "Donnez un nom de 1 à 60\u00a0caractères.",
		"Give a name of 1 to 60 characters."},
	{apikey.ErrNameReserved, "name", "Les noms qui commencent par «\u00a0MCP ·\u00a0» sont ceux des " +
		"assistants. Choisissez-en un autre.", "Names that begin with “MCP ·” are those of assistants. " +
		"Choose another."},
	{management.ErrNameTaken, "name", "Un jeton porte déjà ce nom. Si vous venez d’envoyer ce formulaire " +
		"deux fois, le premier jeton a été créé et celui-ci ne l’est pas\u00a0: révoquez le premier si " +
		"vous ne l’avez pas copié.", "A token has this name already. If you have just sent this form " +
		"twice, the first token was created and this one is not: revoke the first if you have not copied " +
		"it."},
	{management.ErrScopes, "scopes", "Cochez au moins une des lectures proposées.",
		"Tick at least one of the things to read."},
	{management.ErrLifetime, "days", "Choisissez l’une des durées proposées.",
		"Choose one of the times offered."},
	{management.ErrTooMany, "", "Il y a déjà 20 jetons. Révoquez d’abord celui qui ne sert plus.",
		"There are 20 tokens already. Revoke one that is no longer used first."},
}

// problemsOf returns the texts for an error by field; nil if it is not one of the form.
func problemsOf(l web.Lang, err error) map[string]string {
	for _, t := range problemTexts {
		if errors.Is(err, t.err) {
			return map[string]string{t.field: l.Pick(t.french, t.english)}
		}
	}
	return nil
}

// RevokeForm asks for confirmation before a token is revoked.
func (p *Pages) RevokeForm(c *fiber.Ctx, v *pages.Visitor, id management.TokenID) error {
	list, err := p.Tokens.List(v.Ctx, v.Account)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(t management.Token) bool { return t.ID == id })
	if at < 0 {
		return pages.ErrNothing
	}
	return web.Send(c, RevokePage(End{Frame: v.Frame, Token: p.viewToken(v, list[at])}))
}

// Revoke ends a token.
func (p *Pages) Revoke(c *fiber.Ctx, v *pages.Visitor, id management.TokenID) error {
	return pages.RedirectAfter(c, p.Tokens.Revoke(v.Ctx, v.Account, id), Path+"?done=revoked")
}

// lastUse formats the time of the last use.
func lastUse(l web.Lang, at *time.Time) string {
	if at == nil {
		return l.Pick("jamais utilisé", "never used")
	}
	return l.Pick("dernier appel le ", "last call on ") + l.DateTime(*at)
}
