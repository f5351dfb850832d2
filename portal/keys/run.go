package keys

import (
	"context"
	"errors"
	"net/netip"

	"github.com/gofiber/fiber/v2"

	"arpent/api"
	"arpent/app/base/ident"
	"arpent/auth/apikey"
	"arpent/portal/pages"
	"arpent/portal/view"
	"arpent/web"
	"arpent/web/report"
)

// Call is a call that is made for the owner of a key.
type Call struct {
	Account   ident.AccountID
	Key       ident.KeyID
	Client    netip.Addr
	Operation string
	Arguments map[string]string
}

// Run calls an operation with a key of an account as a program does that presents it: it is admitted, counted and logged. It
// returns apikey.ErrInvalid when the account has no such key, or it has ended.
type Run func(ctx context.Context, call Call) (*api.Result, error)

// Run makes the first call with a key, and shows the answer. The form names the key by its id: the secret stays where it is shown
// once, in no form, address, log or history. What is called is not the form's to say.
func (p *Pages) Run(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID) error {
	if p.Call == nil {
		return pages.ErrNothing
	}
	first := view.FirstCallOf(p.Site.Status())
	result, err := p.Call(v.Ctx, Call{Account: v.Session.Account, Key: id, Client: p.Client(c), Operation: first.Operation, Arguments: map[string]string{first.Argument: first.Text}})
	switch {
	case errors.Is(err, apikey.ErrInvalid):
		return pages.ErrNothing
	case err != nil:
		return err
	}
	page := Ran{Frame: v.Frame, ID: id, Path: first.Path, Status: result.Status, Remaining: result.QuotaRemaining()}
	if f := result.Fault; f != nil {
		page.Code, page.Message = string(f.Code), f.Message
		return web.Send(c, RanPage(page))
	}
	// A commune is no report; it is read as one without keys, and shown as it is.
	if page.Report, err = report.Read(result.Body); err != nil {
		return err
	}
	page.Body = web.Indent(result.Body)
	return web.Send(c, RanPage(page))
}
