package keys

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/management"
	"arpent/internal/httpbody"
	"arpent/portal/pages"
	"arpent/web"
)

// TokenPages serves the pages of management tokens, by which programs read an account.
type TokenPages struct{ *pages.Server }

// TokensPath is the address of the list.
const TokensPath = "/account/tokens"

// List shows the tokens of the account.
func (p *TokenPages) List(c *fiber.Ctx, v *pages.Visitor) error {
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

func (p *TokenPages) viewToken(v *pages.Visitor, t management.Token) Token {
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
func (p *TokenPages) NewForm(c *fiber.Ctx, v *pages.Visitor) error {
	return p.sendForm(c, v, TokenForm{Days: 90})
}

func (p *TokenPages) sendForm(c *fiber.Ctx, v *pages.Visitor, f TokenForm) error {
	f.Frame, f.Confirmed, f.Email, f.MailDown = v.Frame, v.Session.Confirmed, v.Session.Email, p.MailDown
	f.Lifetimes, f.Shared = management.Lifetimes, v.Session.ActsForOrganisation()
	for _, s := range management.Scopes {
		f.Scopes = append(f.Scopes, string(s))
	}
	return web.Send(c, NewTokenPage(f))
}

// Create makes a token and shows its secret. It does not redirect: the secret could not be shown after
// that. Sent again, the same form is rejected for its name.
func (p *TokenPages) Create(c *fiber.Ctx, v *pages.Visitor) error {
	n := management.NewToken{Name: strings.ToValidUTF8(pages.Text(c, "name"), "\ufffd")}
	n.Days, _ = strconv.Atoi(pages.Text(c, "days")) // of what is no number 0, which is no lifetime
	form := TokenForm{Name: n.Name, Days: n.Days}
	for _, s := range management.Scopes {
		if httpbody.Field(c, scopeField(string(s))) != "" {
			n.Scopes = append(n.Scopes, s)
			form.Chosen = append(form.Chosen, string(s))
		}
	}
	t, secret, err := p.Tokens.Create(v.Ctx, v.Account, n)
	if err == nil {
		c.Status(fiber.StatusCreated)
		name, _, _ := strings.Cut(string(t.Scopes[0]), ":") // of a call that the token allows
		return web.Send(c, TokenMadePage(MadeToken{Frame: v.Frame, Name: t.Name, Secret: secret,
			ExpiresAt: t.ExpiresAt, Operation: "/account/v1/" + name}))
	}
	if form.Problems = problemsOf(v.Frame.Lang, err); form.Problems == nil {
		return err
	}
	c.Status(fiber.StatusUnprocessableEntity)
	return p.sendForm(c, v, form)
}

// scopeField is the name of the field of a scope: a colon has a meaning in selectors of style sheets and
// tests.
func scopeField(scope string) string { return "scope_" + strings.TrimSuffix(scope, ":read") }

// RevokeForm asks for confirmation before a token is revoked.
func (p *TokenPages) RevokeForm(c *fiber.Ctx, v *pages.Visitor, id management.TokenID) error {
	list, err := p.Tokens.List(v.Ctx, v.Account)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(t management.Token) bool { return t.ID == id })
	if at < 0 {
		return pages.ErrNothing
	}
	return web.Send(c, RevokeTokenPage(TokenEnd{Frame: v.Frame, Token: p.viewToken(v, list[at])}))
}

// Revoke ends a token.
func (p *TokenPages) Revoke(c *fiber.Ctx, v *pages.Visitor, id management.TokenID) error {
	return pages.RedirectAfter(c, p.Tokens.Revoke(v.Ctx, v.Account, id), TokensPath+"?done=revoked")
}

// tokenLastUse formats the time of the last use.
func tokenLastUse(l web.Lang, at *time.Time) string {
	if at == nil {
		return l.Pick("jamais utilisé", "never used")
	}
	return l.Pick("dernier appel le ", "last call on ") + l.DateTime(*at)
}
