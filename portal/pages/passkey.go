package pages

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
)

// SendPasskeyRequest answers the script of a page with what it asks the browser for, or with the text of the
// problem. Any other error is returned, and that a fresh proof of who one is has to be given first.
func SendPasskeyRequest(c *fiber.Ctx, v *Visitor, r auth.PasskeyRequest, err error) error {
	if problem, ok := errors.AsType[*auth.Problem](err); ok && problem.Code != auth.CodeVerifyFirst {
		SetStatus(c, problem)
		return c.JSON(map[string]string{"error": ProblemText(v.Frame.Lang, problem)})
	}
	if err != nil {
		return err
	}
	return c.JSON(r)
}
