package portal

import (
	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/portal/consent"
	"arpent/portal/pages"
	"arpent/web"
	"arpent/web/reference"
)

// publications are the pages for those who have no account yet, or are not signed in.
var publications = []web.Publication{
	{Path: "/signup", Description: [2]string{
		"Créez un compte pour obtenir une clé de l’API\u00a0: une adresse e-mail et un mot de passe suffisent, sans carte bancaire.",
		"Create an account to get a key of the API: an e-mail address and a password are enough, no card needed."}},
	{Path: "/signin", Description: [2]string{
		"Connectez-vous à votre compte pour gérer vos clés, suivre votre consommation et changer d’offre.",
		"Sign in to your account to manage your keys, follow your usage and change your plan."}},
}

// Register adds the pages to the server. Every address of the portal is in this list. Open pages are for
// anybody, members are signed in, and before a recent page they authenticate again.
func (p *Portal) Register(app *fiber.App) {
	p.registerSignIn(app)
	p.registerAccount(app)
	p.registerPlan(app)
	p.registerSettings(app)
	if p.admin != nil {
		p.admin.Register(app)
	}
}

// redirectToPage redirects a request for the address of a form that came back with an error, loaded anew or
// in another language, to the page that has the form.
func (p *Portal) redirectToPage(page string) fiber.Handler {
	return p.Open(func(c *fiber.Ctx, v *pages.Visitor) error {
		return v.Redirect(c, pages.WithNext(page, v.Frame.Next))
	})
}

func (p *Portal) registerSignIn(app *fiber.App) {
	p.Site.Publish(publications...)
	app.Get("/signup", p.Open(p.signin.SignUpForm))
	app.Post("/signup", p.Open(p.signin.SignUp))
	app.Get("/signup/sent", p.Open(p.signin.SentPage))
	app.Get("/signup/continue", p.Open(p.signin.Continue))
	app.Get("/signup/waiting", p.Open(p.signin.Waiting))
	app.Get("/resend", p.redirectToPage("/signup/sent"))
	app.Post("/resend", p.Open(p.signin.Resend))
	app.Get("/confirm/:token", p.Open(p.signin.ConfirmPage))
	app.Post("/confirm/:token", p.Open(p.signin.Confirm))
	app.Get("/signin", p.Open(p.signin.SignInForm))
	app.Post("/signin", p.Open(p.signin.SignIn))
	app.Get("/signin/code", p.Open(p.signin.CodeForm))
	app.Post("/signin/code", p.Open(p.signin.Code))
	app.Post("/signout", p.Open(p.signin.SignOut))
	app.Get("/forgot", p.Open(p.signin.ForgotPage))
	app.Post("/forgot", p.Open(p.signin.Forgot))
	app.Get("/reset/:token", p.Open(p.signin.ResetPage))
	app.Post("/reset/:token", p.Open(p.signin.Reset))
	app.Get("/recover/:token", p.Open(p.signin.RecoverPage))
	app.Post("/recover/:token", p.Open(p.signin.Recover))
	app.Get("/email/:token", p.Members(p.signin.EmailPage))
	app.Post("/email/:token", p.Members(p.signin.ConfirmEmail))
	app.Post("/auth/:provider", p.Open(p.signin.StartOAuth))
	app.Get("/auth/:provider/callback", p.Open(p.signin.Callback))
	app.Get("/account/verify", p.Members(p.signin.VerifyPage))
	app.Post("/account/verify", p.Members(p.signin.Verify))
	app.Get("/account/verify/mail", p.redirectToPage(pages.VerifyPage))
	app.Post("/account/verify/mail", p.Members(p.signin.SendVerifyLink))
	app.Get("/verify/:token", p.Members(p.signin.VerifyLinkPage))
	app.Post("/verify/:token", p.Members(p.signin.VerifyByLink))

	if p.console != nil {
		app.Post(reference.Path+"/:operation", p.OpenOr(p.console.Stale, p.console.Call))
	}
	if p.consent != nil {
		app.Get(pages.AuthorizePath, p.Open(p.consent.ShowConsent))
		app.Post(pages.AuthorizePath, p.OpenOr(consent.RestartConsent, p.consent.Decide))
	}
}

func (p *Portal) registerAccount(app *fiber.App) {
	app.Get("/account", p.Members(p.showHome))
	app.Get("/account/keys", p.Members(p.keys.List))
	app.Get("/account/keys/new", p.Members(p.keys.NewForm))
	app.Post("/account/keys/new", p.Members(p.keys.Create))
	app.Get("/account/keys/:id", p.Members(pages.ByID(p.keys.Detail)))
	for _, form := range []string{"rename", "restrict", "expiry", "pause", "resume"} {
		app.Get("/account/keys/:id/"+form, p.Members(pages.ByID(p.keys.PageOf)))
	}
	app.Post("/account/keys/:id/rename", p.Members(pages.ByID(p.keys.Rename)))
	app.Post("/account/keys/:id/restrict", p.Members(pages.ByID(p.keys.Restrict)))
	app.Post("/account/keys/:id/expiry", p.Members(pages.ByID(p.keys.SetExpiry)))
	app.Post("/account/keys/:id/pause", p.Members(pages.ByID(p.keys.Pause)))
	app.Post("/account/keys/:id/resume", p.Members(pages.ByID(p.keys.Resume)))
	app.Get("/account/keys/:id/rotate", p.Members(pages.ByID(p.keys.RotateForm)))
	app.Post("/account/keys/:id/rotate", p.Members(pages.ByID(p.keys.Rotate)))
	app.Get("/account/keys/:id/revoke", p.Members(pages.ByID(p.keys.RevokeForm)))
	app.Post("/account/keys/:id/revoke", p.Members(pages.ByID(p.keys.Revoke)))
	app.Post("/account/keys/:id/run", p.Members(pages.ByID(p.keys.Run)))
	app.Get("/account/assistants", p.Members(p.keys.Assistants))
	app.Get("/account/usage", p.Members(p.usage.Show))
	app.Get("/account/usage/now", p.Open(p.usage.Gauges))
	app.Get("/account/usage.csv", p.Members(p.usage.CSV))
}

func (p *Portal) registerPlan(app *fiber.App) {
	app.Get("/account/plan", p.Members(p.plan.Show))
	for _, form := range []string{"subscribe", "wish", "resume", "portal", "billing"} {
		app.Get("/account/plan/"+form, p.redirectToPage("/account/plan"))
	}
	app.Post("/account/plan/subscribe", p.Members(p.plan.Selling(p.plan.Subscribe)))
	app.Post("/account/plan/wish", p.Members(p.plan.Wish))
	app.Post("/account/plan/wish/remove", p.Members(p.plan.RemoveWish))
	app.Get("/account/plan/done", p.Members(p.plan.Selling(p.plan.Done)))
	app.Get("/account/plan/change", p.Recent(auth.Freshness, p.plan.Selling(p.plan.ChangeForm)))
	app.Post("/account/plan/change", p.Recent(auth.Freshness, p.plan.Selling(p.plan.Change)))
	app.Get("/account/plan/cancel", p.Members(p.plan.Selling(p.plan.CancelForm)))
	app.Post("/account/plan/cancel", p.Members(p.plan.Selling(p.plan.Cancel)))
	app.Post("/account/plan/resume", p.Members(p.plan.Selling(p.plan.Resume)))
	app.Post("/account/plan/portal", p.Members(p.plan.Selling(p.plan.PaymentPages)))
	app.Post("/account/plan/billing", p.Members(p.plan.Selling(p.plan.SetBilling)))
}

func (p *Portal) registerSettings(app *fiber.App) {
	app.Post("/language", p.Open(p.settings.SetLanguage))
	app.Get("/account/settings", p.Members(p.settings.Show))
	app.Get("/account/settings/email", p.Recent(auth.Freshness, p.settings.EmailPage))
	app.Post("/account/settings/email", p.Recent(auth.Freshness, p.settings.ChangeEmail))
	app.Post("/account/settings/language", p.Members(p.settings.SetLanguage))
	for _, form := range []string{"notifications", "recipients"} {
		app.Get("/account/settings/"+form, p.redirectToPage("/account/settings"))
	}
	app.Post("/account/settings/notifications", p.Members(p.settings.SetNotifications))
	app.Post("/account/settings/recipients", p.Members(p.settings.AddRecipient))
	app.Post("/account/settings/recipients/:id/remove", p.Members(pages.ByID(p.settings.RemoveRecipient)))
	app.Get(pages.NoticesPath+":token", p.Open(p.settings.NoticesPage))
	app.Post(pages.NoticesPath+":token", p.settings.StopByMail, p.Open(p.settings.AnswerNotices))
	app.Get("/account/export", p.Recent(auth.Freshness, p.settings.ExportForm))
	app.Post("/account/export", p.Recent(auth.Freshness, p.settings.Export))
	app.Get("/account/delete", p.Recent(auth.DeletionFreshness, p.settings.DeletePage))
	app.Post("/account/delete", p.Recent(auth.DeletionFreshness, p.settings.Delete))
	app.Get("/goodbye", p.Open(p.settings.Goodbye))

	app.Get("/account/security", p.Members(p.security.Show))
	app.Get("/account/security/activity", p.Members(p.security.Activity))
	app.Get("/account/security/access", p.Members(p.security.Access))
	app.Post("/account/security/access", p.Members(p.security.RevokeAccess))
	app.Get("/account/security/password", p.Recent(auth.Freshness, p.security.PasswordPage))
	app.Post("/account/security/password", p.Recent(auth.Freshness, p.security.ChangePassword))
	app.Get("/account/security/two-factor", p.Recent(auth.Freshness, p.security.TOTPForm))
	app.Post("/account/security/two-factor", p.Recent(auth.Freshness, p.security.EnableTOTP))
	app.Get("/account/security/two-factor/off", p.Recent(auth.Freshness, p.security.TOTPOffForm))
	app.Post("/account/security/two-factor/off", p.Recent(auth.Freshness, p.security.DisableTOTP))
	app.Get("/account/security/codes", p.Recent(auth.Freshness, p.security.CodesForm))
	app.Post("/account/security/codes", p.Recent(auth.Freshness, p.security.NewCodes))
	app.Get("/account/security/identities/:id/unlink", p.Recent(auth.Freshness,
		pages.ByID(p.security.UnlinkPage)))
	app.Post("/account/security/identities/:id/unlink", p.Recent(auth.Freshness, pages.ByID(p.security.Unlink)))
	app.Post("/account/security/sessions/others", p.Members(p.security.EndOtherSessions))
	app.Post("/account/security/sessions/all", p.Members(p.security.EndAllSessions))
	app.Post("/account/security/sessions/:id/end", p.Members(pages.ByID(p.security.EndSession)))
}
