package portal

import (
	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/portal/consent"
	"arpent/portal/organisation"
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

// Route is an address of the pages of an account, with the action that the role of a member has to allow.
type Route struct {
	Method, Path string
	Action       auth.Action
}

// Routes lists the addresses of the pages of an account. Register must have been called.
func (p *Portal) Routes() []Route { return p.routes }

// add registers an address of the pages of an account. The handler asks for the action.
func (p *Portal) add(method, path string, a auth.Action, h fiber.Handler) {
	p.routes = append(p.routes, Route{method, path, a})
	if method == fiber.MethodGet {
		p.app.Get(path, h) // HEAD too
		return
	}
	p.app.Add(method, path, h)
}

// get registers a page of an account for members whose role allows the action.
func (p *Portal) get(path string, a auth.Action, h pages.Handler) {
	p.add(fiber.MethodGet, path, a, p.Members(a, h))
}

// post registers the address of a form in the same way.
func (p *Portal) post(path string, a auth.Action, h pages.Handler) {
	p.add(fiber.MethodPost, path, a, p.Members(a, h))
}

// Register adds the pages to the server. Every address of the portal is in this list. Open pages are for any
// visitor; get and post are for members of the account, and name the action that their role has to allow. Before a
// recent page they authenticate again.
func (p *Portal) Register(app *fiber.App) {
	p.app = app
	p.registerSignIn(app)
	p.registerAccount()
	p.registerPlan()
	p.registerSettings(app)
	p.registerOrganisation(app)
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
	p.get("/email/:token", auth.ManageSelf, p.signin.EmailPage)
	p.post("/email/:token", auth.ManageSelf, p.signin.ConfirmEmail)
	app.Post("/auth/:provider", p.Open(p.signin.StartOAuth))
	app.Get("/auth/:provider/callback", p.Open(p.signin.Callback))
	p.get("/account/verify", auth.ManageSelf, p.signin.VerifyPage)
	p.post("/account/verify", auth.ManageSelf, p.signin.Verify)
	p.add(fiber.MethodGet, "/account/verify/mail", auth.ManageSelf, p.redirectToPage(pages.VerifyPage))
	p.post("/account/verify/mail", auth.ManageSelf, p.signin.SendVerifyLink)
	p.get("/verify/:token", auth.ManageSelf, p.signin.VerifyLinkPage)
	p.post("/verify/:token", auth.ManageSelf, p.signin.VerifyByLink)

	if p.console != nil {
		app.Post(reference.Path+"/:operation", p.OpenOr(p.console.Stale, p.console.Call))
	}
	if p.consent != nil {
		app.Get(pages.AuthorizePath, p.Open(p.consent.ShowConsent))
		app.Post(pages.AuthorizePath, p.OpenOr(consent.RestartConsent, p.consent.Decide))
	}
}

func (p *Portal) registerAccount() {
	p.get("/account", auth.ViewHome, p.showHome)
	p.get("/account/keys", auth.ListKeys, p.keys.List)
	p.get("/account/keys/new", auth.CreateKey, p.keys.NewForm)
	p.post("/account/keys/new", auth.CreateKey, p.keys.Create)
	p.get("/account/keys/:id", auth.ViewKey, p.keys.ByID(p.keys.Detail))
	for _, form := range []string{"rename", "restrict", "expiry", "pause", "resume"} {
		p.get("/account/keys/:id/"+form, auth.ViewKey, p.keys.ByID(p.keys.PageOf))
	}
	p.post("/account/keys/:id/rename", auth.ChangeKey, p.keys.ByID(p.keys.Rename))
	p.post("/account/keys/:id/restrict", auth.ChangeKey, p.keys.ByID(p.keys.Restrict))
	p.post("/account/keys/:id/expiry", auth.ChangeKey, p.keys.ByID(p.keys.SetExpiry))
	p.post("/account/keys/:id/pause", auth.ChangeKey, p.keys.ByID(p.keys.Pause))
	p.post("/account/keys/:id/resume", auth.ChangeKey, p.keys.ByID(p.keys.Resume))
	p.get("/account/keys/:id/rotate", auth.RotateKey, p.keys.ByID(p.keys.RotateForm))
	p.post("/account/keys/:id/rotate", auth.RotateKey, p.keys.ByID(p.keys.Rotate))
	p.get("/account/keys/:id/revoke", auth.RevokeKey, p.keys.ByID(p.keys.RevokeForm))
	p.post("/account/keys/:id/revoke", auth.RevokeKey, p.keys.ByID(p.keys.Revoke))
	p.post("/account/keys/:id/run", auth.RunKey, p.keys.ByID(p.keys.Run))
	p.get("/account/assistants", auth.ListAssistants, p.keys.Assistants)
	p.get("/account/usage", auth.ViewUsage, p.usage.Show)
	p.add(fiber.MethodGet, "/account/usage/now", auth.ViewUsage, p.Open(p.usage.Gauges))
	p.get("/account/usage.csv", auth.ExportUsage, p.usage.CSV)
}

func (p *Portal) registerPlan() {
	p.get("/account/plan", auth.ViewPlan, p.plan.Show)
	for _, form := range []string{"subscribe", "wish", "resume", "portal", "billing"} {
		p.add(fiber.MethodGet, "/account/plan/"+form, auth.ManageSelf, p.redirectToPage("/account/plan"))
	}
	p.post("/account/plan/subscribe", auth.BuyPlan, p.plan.Selling(p.plan.Subscribe))
	p.post("/account/plan/wish", auth.BuyPlan, p.plan.Wish)
	p.post("/account/plan/wish/remove", auth.BuyPlan, p.plan.RemoveWish)
	p.get("/account/plan/done", auth.ViewPlan, p.plan.Selling(p.plan.Done))
	p.get("/account/plan/change", auth.ChangePlan, p.Recent(auth.Freshness, p.plan.Selling(p.plan.ChangeForm)))
	p.post("/account/plan/change", auth.ChangePlan, p.Recent(auth.Freshness, p.plan.Selling(p.plan.Change)))
	p.get("/account/plan/cancel", auth.CancelPlan, p.plan.Selling(p.plan.CancelForm))
	p.post("/account/plan/cancel", auth.CancelPlan, p.plan.Selling(p.plan.Cancel))
	p.post("/account/plan/resume", auth.CancelPlan, p.plan.Selling(p.plan.Resume))
	p.post("/account/plan/portal", auth.ManageInvoices, p.plan.Selling(p.plan.PaymentPages))
	p.post("/account/plan/billing", auth.ManageInvoices, p.plan.Selling(p.plan.SetBilling))
}

func (p *Portal) registerOrganisation(app *fiber.App) {
	p.get("/account/organisations/new", auth.ManageSelf, p.company.NewForm)
	p.post("/account/organisations/new", auth.ManageSelf, p.company.Create)
	p.post("/account/switch", auth.ManageSelf, p.company.Switch)

	const path = organisation.Path
	only := organisation.ForCompanies
	p.get(path, auth.ViewMembers, only(p.company.Show))
	for _, form := range []string{"invite", "name", "contact"} {
		p.add(fiber.MethodGet, path+"/"+form, auth.ManageSelf, p.redirectToPage(path))
	}
	p.post(path+"/invite", auth.InviteMember, only(p.company.Invite))
	p.post(path+"/invitations/:id/resend", auth.InviteMember, only(pages.ByID(p.company.Resend)))
	p.post(path+"/invitations/:id/withdraw", auth.InviteMember, only(pages.ByID(p.company.Withdraw)))
	p.post(path+"/members/:id/role", auth.ChangeRole, only(pages.ByID(p.company.ChangeRole)))
	p.get(path+"/members/:id/remove", auth.RemoveMember, only(pages.ByID(p.company.RemoveForm)))
	p.post(path+"/members/:id/remove", auth.RemoveMember, only(pages.ByID(p.company.Remove)))
	p.get(path+"/leave", auth.LeaveOrganisation, only(p.company.LeaveForm))
	p.post(path+"/leave", auth.LeaveOrganisation, only(p.company.Leave))
	p.post(path+"/name", auth.RenameOrganisation, only(p.company.Rename))
	p.post(path+"/contact", auth.SetContact, only(p.company.SetContact))
	p.get(path+"/activity", auth.ViewActivity, only(p.security.Activity))
	p.get(path+"/notices", auth.ChooseNotices, only(p.settings.ShowNotices))
	p.get(path+"/delete", auth.DeleteOrganisation, only(p.Recent(auth.DeletionFreshness, p.company.DeleteForm)))
	p.post(path+"/delete", auth.DeleteOrganisation, only(p.Recent(auth.DeletionFreshness, p.company.Delete)))
	app.Get(organisation.InvitationPath+":token", p.Open(p.company.InvitationPage))
	app.Post(organisation.InvitationPath+":token", p.Open(p.company.Accept))
}

func (p *Portal) registerSettings(app *fiber.App) {
	app.Post("/language", p.Open(p.settings.SetLanguage))
	p.get("/account/settings", auth.ManageSelf, p.settings.Show)
	p.get("/account/settings/email", auth.ManageSelf, p.Recent(auth.Freshness, p.settings.EmailPage))
	p.post("/account/settings/email", auth.ManageSelf, p.Recent(auth.Freshness, p.settings.ChangeEmail))
	p.post("/account/settings/language", auth.ManageSelf, p.settings.SetLanguage)
	for _, form := range []string{"notifications", "recipients"} {
		p.add(fiber.MethodGet, "/account/settings/"+form, auth.ManageSelf, p.redirectToPage("/account/settings"))
	}
	p.post("/account/settings/notifications", auth.ChooseNotices, p.settings.SetNotifications)
	p.post("/account/settings/recipients", auth.ChooseNotices, p.settings.AddRecipient)
	p.post("/account/settings/recipients/:id/remove", auth.ChooseNotices, pages.ByID(p.settings.RemoveRecipient))
	app.Get(pages.NoticesPath+":token", p.Open(p.settings.NoticesPage))
	app.Post(pages.NoticesPath+":token", p.settings.StopByMail, p.Open(p.settings.AnswerNotices))
	p.get("/account/export", auth.ManageSelf, p.Recent(auth.Freshness, p.settings.ExportForm))
	p.post("/account/export", auth.ManageSelf, p.Recent(auth.Freshness, p.settings.Export))
	p.get("/account/delete", auth.ManageSelf, p.Recent(auth.DeletionFreshness, p.settings.DeletePage))
	p.post("/account/delete", auth.ManageSelf, p.Recent(auth.DeletionFreshness, p.settings.Delete))
	app.Get("/goodbye", p.Open(p.settings.Goodbye))

	p.get("/account/security", auth.ManageSelf, p.security.Show)
	p.get("/account/security/activity", auth.ManageSelf, p.security.Activity)
	p.get("/account/security/access", auth.ManageSelf, p.security.Access)
	p.post("/account/security/access", auth.ManageSelf, p.security.RevokeAccess)
	p.get("/account/security/password", auth.ManageSelf, p.Recent(auth.Freshness, p.security.PasswordPage))
	p.post("/account/security/password", auth.ManageSelf, p.Recent(auth.Freshness, p.security.ChangePassword))
	p.get("/account/security/two-factor", auth.ManageSelf, p.Recent(auth.Freshness, p.security.TOTPForm))
	p.post("/account/security/two-factor", auth.ManageSelf, p.Recent(auth.Freshness, p.security.EnableTOTP))
	p.get("/account/security/two-factor/off", auth.ManageSelf, p.Recent(auth.Freshness, p.security.TOTPOffForm))
	p.post("/account/security/two-factor/off", auth.ManageSelf, p.Recent(auth.Freshness, p.security.DisableTOTP))
	p.get("/account/security/codes", auth.ManageSelf, p.Recent(auth.Freshness, p.security.CodesForm))
	p.post("/account/security/codes", auth.ManageSelf, p.Recent(auth.Freshness, p.security.NewCodes))
	p.get("/account/security/identities/:id/unlink", auth.ManageSelf,
		p.Recent(auth.Freshness, pages.ByID(p.security.UnlinkPage)))
	p.post("/account/security/identities/:id/unlink", auth.ManageSelf,
		p.Recent(auth.Freshness, pages.ByID(p.security.Unlink)))
	p.post("/account/security/sessions/others", auth.ManageSelf, p.security.EndOtherSessions)
	p.post("/account/security/sessions/all", auth.ManageSelf, p.security.EndAllSessions)
	p.post("/account/security/sessions/:id/end", auth.ManageSelf, pages.ByID(p.security.EndSession))
}
