package security

import (
	"fmt"
	"strings"

	"github.com/a-h/templ"
	"github.com/boombuler/barcode/qr"
	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/portal/pages"
	"arpent/web"
)

// TOTPForm shows the secret of a new second factor, as a code to scan and as text. While the language changes
// it stays the same: it may have been scanned.
func (p *Pages) TOTPForm(c *fiber.Ctx, v *pages.Visitor) error {
	if v.Session.HasTOTP {
		return pages.Redirect(c, "/account/security")
	}
	enrolment, err := p.Auth.ResumeTOTP(v.Ctx, v.Session, p.TakeTyped(c))
	if err != nil {
		enrolment, err = p.Auth.BeginTOTP(v.Ctx, v.Session)
	}
	if err != nil {
		return err
	}
	return p.totpPage(c, v, enrolment)
}

func (p *Pages) totpPage(c *fiber.Ctx, v *pages.Visitor, enrolment auth.Enrolment) error {
	picture, err := drawQR(enrolment.URI)
	if err != nil {
		return err
	}
	wrong := v.Errors()["code"]
	if wrong != "" { // there are no recovery codes yet
		wrong = v.Frame.Lang.Pick("Ce code est incorrect. Saisissez celui que l’application affiche maintenant\u00a0; s’il est encore refusé, vérifiez l’heure du téléphone.",
			"This code is wrong. Enter the one that the application shows now; if it is refused again, check the clock of the phone.")
	}
	v.Frame.Typed = enrolment.Sealed
	return web.Send(c, TOTPPage(TOTP{
		Frame: v.Frame, Picture: picture, Secret: groupCharacters(enrolment.Secret, 4), URI: enrolment.URI,
		Sealed: enrolment.Sealed,
		Error:  wrong, Alert: v.Errors()[""], Required: v.Session.MustEnrol,
	}))
}

// EnableTOTP enables the second factor once a code proves that the application has the secret. After a wrong
// code the same secret is shown again: it need not be scanned twice.
func (p *Pages) EnableTOTP(c *fiber.Ctx, v *pages.Visitor) error {
	if v.Session.HasTOTP { // the page with the codes was reloaded: they are not shown again
		return pages.Redirect(c, "/account/security")
	}
	sealed := pages.Field(c, "sealed")
	codes, err := p.Auth.EnableTOTP(v.Ctx, v.Session, sealed,
		strings.Join(strings.Fields(pages.Field(c, "code")), ""), v.Origin)
	if err == nil {
		return web.Send(c, CodesPage(Codes{Frame: v.Frame, Codes: codes, JustEnabled: true}))
	}
	return v.Again(c, err, func(c *fiber.Ctx, v *pages.Visitor) error {
		enrolment, lost := p.Auth.ResumeTOTP(v.Ctx, v.Session, sealed)
		if lost != nil {
			return err
		}
		return p.totpPage(c, v, enrolment)
	})
}

// TOTPOffForm asks for confirmation before the second factor is disabled.
func (p *Pages) TOTPOffForm(c *fiber.Ctx, v *pages.Visitor) error {
	return p.sendCodesLeft(c, v, TOTPOffPage)
}

// CodesForm asks for confirmation before the recovery codes are replaced.
func (p *Pages) CodesForm(c *fiber.Ctx, v *pages.Visitor) error {
	return p.sendCodesLeft(c, v, NewCodesPage)
}

func (p *Pages) sendCodesLeft(c *fiber.Ctx, v *pages.Visitor, page func(TOTPOff) templ.Component) error {
	if !v.Session.HasTOTP {
		return pages.Redirect(c, "/account/security")
	}
	left, err := p.Auth.RecoveryCodesLeft(v.Ctx, v.Session)
	if err != nil {
		return err
	}
	return web.Send(c, page(TOTPOff{Frame: v.Frame, CodesLeft: left}))
}

// DisableTOTP disables the second factor.
func (p *Pages) DisableTOTP(c *fiber.Ctx, v *pages.Visitor) error {
	err := p.Auth.DisableTOTP(v.Ctx, v.Session, v.Origin)
	return pages.RedirectAfter(c, err, "/account/security?done=totp-off")
}

// NewCodes replaces the recovery codes. They are shown by this answer and never again.
func (p *Pages) NewCodes(c *fiber.Ctx, v *pages.Visitor) error {
	codes, err := p.Auth.NewRecoveryCodes(v.Ctx, v.Session, v.Origin)
	if err != nil {
		return err
	}
	return web.Send(c, CodesPage(Codes{Frame: v.Frame, Codes: codes}))
}

// groupCharacters formats a secret in groups of n, as people copy it.
func groupCharacters(s string, n int) string {
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

// drawQR draws text as a QR code: one path, with a rectangle for every run of dark modules in a row.
func drawQR(text string) (QR, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return QR{}, fmt.Errorf("draw the code to scan: %w", err)
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
	return QR{Size: size + 2*quietZone, Path: path.String()}, nil
}
