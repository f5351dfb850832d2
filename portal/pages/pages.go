// Package pages serves what all pages of an account have in common: who the visitor is, the CSRF
// check, cookies, redirects within the service, and the pages of errors. A handler gets a Visitor
// and answers with a page, or with an error.
package pages

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/management"
	"arpent/auth/member"
	"arpent/auth/policy"
	"arpent/auth/webhook"
	"arpent/billing"
	"arpent/internal/clock"
	"arpent/internal/pgdb"
	"arpent/web"
)

// Options are what the pages of every subject need.
type Options struct {
	Site     *web.Site
	Auth     *auth.Service
	Keys     *apikey.Store
	Tokens   *management.Store
	Webhooks *webhook.Store
	Factors  *policy.Factors
	Domains  *policy.Domains
	Billing  *billing.Service
	DB       *pgxpool.Pool
	Clock    clock.Clock
	Secret   []byte   // 32 bytes, the same on every instance
	Former   [][]byte // previous secrets: forms that were rendered with one are still accepted
	BaseURL  string
	MailDown bool // no mail leaves this server: no visitor can sign up with a password
	// Operators are the addresses, in lower case, of the accounts that get the
	// pages for operators; none: no account does.
	Operators []string
	// Client is the address of the client of a request.
	Client func(*fiber.Ctx) netip.Addr
}

// Server serves pages to visitors.
type Server struct {
	Options
	secure   bool     // the public address is https
	csrfKeys [][]byte // accepted keys of CSRF tokens, the current one first
	origin   *http.CrossOriginProtection
}

// New returns a server of pages.
func New(o Options) *Server {
	s := &Server{Options: o, secure: strings.HasPrefix(o.BaseURL, "https://"),
		csrfKeys: [][]byte{CSRFKey(o.Secret)},
		origin:   http.NewCrossOriginProtection()}
	for _, secret := range o.Former {
		s.csrfKeys = append(s.csrfKeys, CSRFKey(secret))
	}
	return s
}

// pageTimeout bounds all calls that one page makes to the database and to others, and the
// wait for the semaphore of password checks.
const pageTimeout = 15 * time.Second

// Now is the present time.
func (s *Server) Now() time.Time { return s.Clock.Now() }

// Handler answers one request for a page.
type Handler func(c *fiber.Ctx, v *Visitor) error

// Open serves a page to any visitor.
func (s *Server) Open(h Handler) fiber.Handler { return s.OpenOr(nil, h) }

// OpenOr answers a form of ours with stale, unless it is nil, when its session is no longer that of its page.
func (s *Server) OpenOr(stale fiber.Handler, h Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		defer allowOpener(c)
		ctx, cancel := context.WithTimeout(c.UserContext(), pageTimeout)
		defer cancel()
		v, err := s.identifyVisitor(ctx, c)
		if err != nil {
			return s.respondFault(c, v, err)
		}
		if v.Frame.Next = Next(c); c.Method() == fiber.MethodPost {
			v.Frame.Path = WithNext(v.Frame.Path, v.Frame.Next)
		}
		if err := s.checkCSRF(c, v); err != nil {
			if stale != nil && errors.Is(err, errStaleForm) {
				return stale(c)
			}
			return s.respondFault(c, v, err)
		}
		if v.Session.MustEnrol && !isOpenWithoutFactor(c.Path()) {
			return Redirect(c, EnrolPage)
		}
		c.Set(fiber.HeaderCacheControl, "no-store")
		if err := h(c, v); err != nil {
			return s.respondFault(c, v, err)
		}
		return nil
	}
}

// EnrolPage is where a second factor is turned on.
const EnrolPage = "/account/security/two-factor"

// ListPath precedes the token of a link to a further address of a list.
func ListPath(list auth.Purpose) string { return "/" + string(list) + "/" }

// isOpenWithoutFactor reports whether a page is open to an account that has to turn on a second factor: to do
// so, to prove who they are before it, to recover the password or to leave. Anything else, authorizing an
// assistant and calls from the console included, is not.
func isOpenWithoutFactor(path string) bool {
	return path == EnrolPage || path == VerifyPage || strings.HasPrefix(path, VerifyPage+"/") || path == "/signout" ||
		path == "/language" || path == "/forgot" || strings.HasPrefix(path, ListPath(auth.PurposeNotices)) ||
		strings.HasPrefix(path, ListPath(auth.PurposeBillingMails)) ||
		strings.HasPrefix(path, "/auth/") || strings.HasPrefix(path, "/reset/") || strings.HasPrefix(path,
		"/verify/")
}

// Members serves a page of an organisation to signed-in visitors whose role there allows the action, and
// sends others to sign in first. What is done for it sees that organisation alone; for member.ManageSelf, the
// person's own account. A form of a page that showed another organisation is rejected.
func (s *Server) Members(a member.Action, h Handler) fiber.Handler {
	return s.Open(func(c *fiber.Ctx, v *Visitor) error {
		switch {
		case v.Ended:
			return redirectWithReturn(c, EndedPage)
		case !v.SignedIn():
			return AskToSignIn(c)
		}
		if a == member.ManageSelf {
			v.Account = v.Session.Account
		} else if err := s.checkMember(c, v, a); err != nil {
			return err
		}
		v.Ctx = pgdb.ForAccount(v.Ctx, v.Account)
		if err := s.showOrganisations(v); err != nil {
			return err
		}
		if err := s.ReadPlan(v); err != nil {
			return err
		}
		return h(c, v)
	})
}

// Recent serves a page of Members to visitors who authenticated within that time, and asks others for their
// password or provider.
func (s *Server) Recent(within time.Duration, h Handler) Handler {
	return func(c *fiber.Ctx, v *Visitor) error {
		if !v.Session.Recent(s.Now(), within) {
			return redirectToVerify(c)
		}
		return h(c, v)
	}
}

// EndedPage is the sign-in page that says that the session is over, and why.
const EndedPage = "/signin?trouble=ended"

// AskToSignIn redirects to the sign-in page, which leads back.
func AskToSignIn(c *fiber.Ctx) error { return redirectWithReturn(c, "/signin") }

// VerifyPage is where a signed-in visitor authenticates again.
const VerifyPage = "/account/verify"

// redirectToVerify redirects to that page, which leads back here, or, on cancel, to the page that led here.
func redirectToVerify(c *fiber.Ctx) error {
	next, from := returnPath(c), LocalPath(c.Get(fiber.HeaderReferer), "", c.Hostname())
	if from == next || strings.HasPrefix(from, VerifyPage) { // they would ask again
		from = ""
	}
	return Redirect(c, WithBack(pathWithReturn(VerifyPage, next), from))
}

func redirectWithReturn(c *fiber.Ctx, page string) error {
	return Redirect(c, pathWithReturn(page, returnPath(c)))
}

// pathWithReturn is the path of a page that leads back to next, in the language that next asks for.
func pathWithReturn(page, next string) string {
	if u, err := url.Parse(next); err == nil {
		page = InLanguage(page, web.Lang(u.Query().Get("lang")))
	}
	return WithNext(page, next)
}

// returnPath is the path of this page, or of the one whose form was sent.
func returnPath(c *fiber.Ctx) string {
	if c.Method() == fiber.MethodGet {
		return strings.Clone(c.OriginalURL())
	}
	return LocalPath(c.Get(fiber.HeaderReferer), "/account", c.Hostname())
}
