package pages

import (
	"context"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/internal/audit"
	"arpent/web"
)

// operatorReadLife is how long an operator may read the pages for operators after a proof with the second
// factor. An act asks again after auth.Freshness.
const operatorReadLife = 30 * time.Minute

// OperatorPage serves a page to operators: the accounts whose confirmed address is among Operators, at
// this moment. For anybody else there is nothing at its address, and the request goes on to what answers
// an address without a route. An operator without a second factor is led to turn one on. What the handler
// does is recorded as done by that operator.
func (s *Server) OperatorPage(h Handler) fiber.Handler { return s.requireOperator(operatorReadLife, h) }

// OperatorAct is OperatorPage for what changes something, and for the page that asks for confirmation.
func (s *Server) OperatorAct(h Handler) fiber.Handler { return s.requireOperator(auth.Freshness, h) }

func (s *Server) requireOperator(within time.Duration, h Handler) fiber.Handler {
	serve := s.Open(func(c *fiber.Ctx, v *Visitor) error {
		switch {
		case !s.isOperatorSession(v.Session): // since it was looked at below
			return ErrNothing
		case !v.Session.HasTOTP:
			return Redirect(c, "/account/security/two-factor")
		case !v.Session.ProvedTOTP || !v.Session.Recent(s.Now(), within):
			return redirectToVerify(c)
		}
		v.Ctx = audit.AsOperator(v.Ctx, v.Session.Account)
		return h(c, v)
	})
	return func(c *fiber.Ctx) error {
		if !s.isOperator(c) {
			return c.Next()
		}
		return serve(c)
	}
}

// isOperatorSession reports whether the account of a session gets the pages for operators.
func (s *Server) isOperatorSession(session auth.Session) bool {
	return session.Confirmed && slices.Contains(s.Operators, session.Email)
}

// isOperator looks without using the session, so that an answer to any other visitor is that of an address
// without a route, cookies included. While the database does not answer, no visitor is an operator.
func (s *Server) isOperator(c *fiber.Ctx) bool {
	ctx, cancel := context.WithTimeout(c.UserContext(), pageTimeout)
	defer cancel()
	email, err := s.Auth.Address(ctx, s.Cookie(c, web.SessionCookie))
	return err == nil && slices.Contains(s.Operators, email)
}
