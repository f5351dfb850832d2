package portal

import (
	"fmt"
	"strings"

	"github.com/boombuler/barcode/qr"
	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/portal/view"
	"arpent/web"
)

// totpForm shows the secret of a new second factor, as a picture to scan and as text.
func (p *Portal) totpForm(c *fiber.Ctx, v *visitor) error {
	if v.session.HasTOTP {
		return redirect(c, "/account/security")
	}
	enrolment, err := p.o.Auth.BeginTOTP(v.ctx, v.session)
	if err != nil {
		return err
	}
	return p.totpPage(c, v, enrolment, nil)
}

func (p *Portal) totpPage(c *fiber.Ctx, v *visitor, enrolment auth.Enrolment, problem *auth.Problem) error {
	picture, err := drawQR(enrolment.URI)
	if err != nil {
		return err
	}
	return web.Send(c, view.TOTPPage(view.TOTP{
		Frame: v.frame, Picture: picture, Secret: groups(enrolment.Secret, 4), URI: enrolment.URI, Sealed: enrolment.Sealed,
		Error: textFor(v, problem, "code"), Alert: textFor(v, problem, ""),
	}))
}

// enableTOTP switches the second factor on once a code proves that the application has the secret. A wrong code
// shows the same secret again: whoever has scanned it need not do so twice.
func (p *Portal) enableTOTP(c *fiber.Ctx, v *visitor) error {
	if v.session.HasTOTP { // the answer with the codes was reloaded: they are not shown again
		return redirect(c, "/account/security")
	}
	sealed := typed(c, "sealed")
	codes, err := p.o.Auth.EnableTOTP(v.ctx, v.session, sealed, strings.Join(strings.Fields(typed(c, "code")), ""), v.origin)
	if problem := asProblem(err); problem != nil {
		c.Status(fiber.StatusUnprocessableEntity)
		enrolment, err := p.o.Auth.ResumeTOTP(v.ctx, v.session, sealed)
		if err != nil {
			return problem
		}
		return p.totpPage(c, v, enrolment, problem)
	}
	if err != nil {
		return err
	}
	return web.Send(c, view.CodesPage(view.Codes{Frame: v.frame, Codes: codes, JustEnabled: true}))
}

func (p *Portal) totpOffForm(c *fiber.Ctx, v *visitor) error {
	if !v.session.HasTOTP {
		return redirect(c, "/account/security")
	}
	left, err := p.o.Auth.RecoveryCodesLeft(v.ctx, v.session)
	if err != nil {
		return err
	}
	return web.Send(c, view.TOTPOffPage(view.TOTPOff{Frame: v.frame, CodesLeft: left}))
}

func (p *Portal) disableTOTP(c *fiber.Ctx, v *visitor) error {
	if err := p.o.Auth.DisableTOTP(v.ctx, v.session, v.origin); err != nil {
		return err
	}
	return redirect(c, "/account/security?done=totp-off")
}

func (p *Portal) codesForm(c *fiber.Ctx, v *visitor) error {
	if !v.session.HasTOTP {
		return redirect(c, "/account/security")
	}
	left, err := p.o.Auth.RecoveryCodesLeft(v.ctx, v.session)
	if err != nil {
		return err
	}
	return web.Send(c, view.NewCodesPage(view.TOTPOff{Frame: v.frame, CodesLeft: left}))
}

// newCodes replaces the recovery codes. They are shown by this answer and never again.
func (p *Portal) newCodes(c *fiber.Ctx, v *visitor) error {
	codes, err := p.o.Auth.NewRecoveryCodes(v.ctx, v.session, v.origin)
	if err != nil {
		return err
	}
	return web.Send(c, view.CodesPage(view.Codes{Frame: v.frame, Codes: codes}))
}

// groups writes a secret in groups of n, as people copy it.
func groups(s string, n int) string {
	var b strings.Builder
	for i, r := range s {
		if i > 0 && i%n == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// quietZone is the empty border, in modules, that readers of such codes need.
const quietZone = 4

// drawQR draws text as a code to scan: one path, a rectangle for every run of dark modules in a row.
func drawQR(text string) (view.QR, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return view.QR{}, fmt.Errorf("draw the code to scan: %w", err)
	}
	size := code.Bounds().Dx()
	dark := func(x, y int) bool {
		if x == size {
			return false
		}
		r, _, _, _ := code.At(x, y).RGBA()
		return r == 0
	}
	var path strings.Builder
	for y := range size {
		for x := 0; x < size; x++ {
			start := x
			for dark(x, y) {
				x++
			}
			if x > start {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", start+quietZone, y+quietZone, x-start, x-start)
			}
		}
	}
	return view.QR{Size: size + 2*quietZone, Path: path.String()}, nil
}
