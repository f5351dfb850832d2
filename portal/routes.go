package portal

import (
	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/auth/member"
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
	Action       member.Action
}

// Routes lists the addresses of the pages of an account. Register must have been called.
func (p *Portal) Routes() []Route { return p.routes }

// add registers an address of the pages of an account. The handler asks for the action.
func (p *Portal) add(method, path string, a member.Action, h fiber.Handler) {
	p.routes = append(p.routes, Route{method, path, a})
	if method == fiber.MethodGet {
		p.app.Get(path, h) // HEAD too
		return
	}
	p.app.Add(method, path, h)
}

// get registers a page of an account for members whose role allows the action.
func (p *Portal) get(path string, a member.Action, h pages.Handler) {
	p.add(fiber.MethodGet, path, a, p.Members(a, h))
}

// post registers the address of a form in the same way.
func (p *Portal) post(path string, a member.Action, h pages.Handler) {
	p.add(fiber.MethodPost, path, a, p.Members(a, h))
}

// Register adds the pages to the server. Every address of the portal is in this list. Open pages are for any
// visitor; get and post are for members of the account, and name the action that their role has to allow.
// Before a recent page they authenticate again.
func (p *Portal) Register(app *fiber.App) {
	p.app = app
	p.registerSignIn(app)
	p.registerAccount()
	p.registerPlan()
	p.registerSettings(app)
	p.registerOrganisation()
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
	p.get("/email/:token", member.ManageSelf, p.signin.EmailPage)
	p.post("/email/:token", member.ManageSelf, p.signin.ConfirmEmail)
	app.Post("/auth/:provider", p.Open(p.signin.StartOAuth))
	app.Get("/auth/:provider/callback", p.Open(p.signin.Callback))
	p.get("/account/verify", member.ManageSelf, p.signin.VerifyPage)
	p.post("/account/verify", member.ManageSelf, p.signin.Verify)
	p.add(fiber.MethodGet, "/account/verify/mail", member.ManageSelf, p.redirectToPage(pages.VerifyPage))
	p.post("/account/verify/mail", member.ManageSelf, p.signin.SendVerifyLink)
	p.get("/verify/:token", member.ManageSelf, p.signin.VerifyLinkPage)
	p.post("/verify/:token", member.ManageSelf, p.signin.VerifyByLink)

	if p.console != nil {
		p.add(fiber.MethodPost, reference.Path+"/:operation", member.UseConsole,
			p.OpenOr(p.console.Stale, p.console.Call))
	}
	if p.consent != nil {
		p.add(fiber.MethodGet, pages.AuthorizePath, member.ManageSelf, p.Open(p.consent.ShowConsent))
		p.add(fiber.MethodPost, pages.AuthorizePath, member.ConnectAssistant,
			p.OpenOr(consent.RestartConsent, p.consent.Decide)) // of the organisation that the form names
	}
}

func (p *Portal) registerAccount() {
	p.get("/account", member.ViewHome, p.showHome)
	p.get("/account/keys", member.ListKeys, p.keys.List)
	p.get("/account/keys/new", member.CreateKey, p.keys.NewForm)
	p.post("/account/keys/new", member.CreateKey, p.keys.Create)
	p.get("/account/keys/:id", member.ViewKey, p.keys.ByID(p.keys.Detail))
	for _, form := range []string{"rename", "restrict", "expiry", "pause", "resume"} {
		p.get("/account/keys/:id/"+form, member.ViewKey, p.keys.ByID(p.keys.PageOf))
	}
	p.post("/account/keys/:id/rename", member.ChangeKey, p.keys.ByID(p.keys.Rename))
	p.post("/account/keys/:id/restrict", member.ChangeKey, p.keys.ByID(p.keys.Restrict))
	p.post("/account/keys/:id/expiry", member.ChangeKey, p.keys.ByID(p.keys.SetExpiry))
	p.post("/account/keys/:id/pause", member.ChangeKey, p.keys.ByID(p.keys.Pause))
	p.post("/account/keys/:id/resume", member.ChangeKey, p.keys.ByID(p.keys.Resume))
	p.get("/account/keys/:id/rotate", member.RotateKey, p.keys.ByID(p.keys.RotateForm))
	p.post("/account/keys/:id/rotate", member.RotateKey, p.keys.ByID(p.keys.Rotate))
	p.get("/account/keys/:id/revoke", member.RevokeKey, p.keys.ByID(p.keys.RevokeForm))
	p.post("/account/keys/:id/revoke", member.RevokeKey, p.keys.ByID(p.keys.Revoke))
	p.post("/account/keys/:id/run", member.RunKey, p.keys.ByID(p.keys.Run))
	p.get("/account/assistants", member.ListAssistants, p.keys.Assistants)
	p.get("/account/usage", member.ViewUsage, p.usage.Show)
	p.add(fiber.MethodGet, "/account/usage/now", member.ViewUsage, p.Open(p.usage.Gauges))
	p.get("/account/usage.csv", member.ExportUsage, p.usage.CSV)
}

func (p *Portal) registerPlan() {
	p.get("/account/plan", member.ViewPlan, p.plan.Show)
	for _, form := range []string{"subscribe", "wish", "resume", "portal", "billing"} {
		p.add(fiber.MethodGet, "/account/plan/"+form, member.ManageSelf, p.redirectToPage("/account/plan"))
	}
	p.post("/account/plan/subscribe", member.BuyPlan, p.plan.Selling(p.plan.Subscribe))
	p.post("/account/plan/wish", member.BuyPlan, p.plan.Wish)
	p.post("/account/plan/wish/remove", member.BuyPlan, p.plan.RemoveWish)
	p.get("/account/plan/done", member.ViewPlan, p.plan.Selling(p.plan.Done))
	p.get("/account/plan/change", member.ChangePlan, p.Recent(auth.Freshness, p.plan.Selling(p.plan.ChangeForm)))
	p.post("/account/plan/change", member.ChangePlan, p.Recent(auth.Freshness, p.plan.Selling(p.plan.Change)))
	p.get("/account/plan/cancel", member.CancelPlan, p.plan.Selling(p.plan.CancelForm))
	p.post("/account/plan/cancel", member.CancelPlan, p.plan.Selling(p.plan.Cancel))
	p.post("/account/plan/resume", member.CancelPlan, p.plan.Selling(p.plan.Resume))
	p.post("/account/plan/portal", member.ManageInvoices, p.plan.Selling(p.plan.PaymentPages))
	p.post("/account/plan/billing", member.ManageInvoices, p.plan.Selling(p.plan.SetBilling))
}

func (p *Portal) registerOrganisation() {
	p.get("/account/organisations/new", member.ManageSelf, p.company.NewForm)
	p.post("/account/organisations/new", member.ManageSelf, p.company.Create)
	p.post("/account/switch", member.ManageSelf, p.company.Switch)

	const path = organisation.Path
	only := organisation.ForCompanies
	p.get(path, member.ViewMembers, only(p.company.Show))
	for _, form := range []string{"invite", "invitations/:id/resend", "invitations/:id/withdraw", "members/:id/role", "name", "contact"} {
		p.add(fiber.MethodGet, path+"/"+form, member.ManageSelf, p.redirectToPage(path))
	}
	p.post(path+"/invite", member.InviteMember, only(p.company.Invite))
	p.post(path+"/invitations/:id/resend", member.InviteMember, only(pages.ByID(p.company.Resend)))
	p.post(path+"/invitations/:id/withdraw", member.InviteMember, only(pages.ByID(p.company.Withdraw)))
	p.post(path+"/members/:id/role", member.ChangeRole, only(pages.ByID(p.company.ChangeRole)))
	p.get(path+"/members/:id/remove", member.RemoveMember, only(pages.ByID(p.company.RemoveForm)))
	p.post(path+"/members/:id/remove", member.RemoveMember, only(pages.ByID(p.company.Remove)))
	p.get(path+"/leave", member.LeaveOrganisation, only(p.company.LeaveForm))
	p.post(path+"/leave", member.LeaveOrganisation, only(p.company.Leave))
	p.post(path+"/name", member.RenameOrganisation, only(p.company.Rename))
	p.post(path+"/contact", member.SetContact, only(p.company.SetContact))
	p.get(path+"/activity", member.ViewActivity, only(p.security.Activity))
	p.get(path+"/notices", member.ChooseNotices, only(p.settings.ShowNotices))
	p.get(path+"/delete", member.DeleteOrganisation, only(p.Recent(auth.DeletionFreshness, p.company.DeleteForm)))
	p.post(path+"/delete", member.DeleteOrganisation, only(p.Recent(auth.DeletionFreshness, p.company.Delete)))
	p.add(fiber.MethodGet, organisation.InvitationPath+":token", member.ManageSelf, p.Open(p.company.InvitationPage))
	p.add(fiber.MethodPost, organisation.InvitationPath+":token", member.ManageSelf, p.Open(p.company.Accept))
}

func (p *Portal) registerSettings(app *fiber.App) {
	app.Post("/language", p.Open(p.settings.SetLanguage))
	p.get("/account/settings", member.ManageSelf, p.settings.Show)
	p.get("/account/settings/email", member.ManageSelf, p.Recent(auth.Freshness, p.settings.EmailPage))
	p.post("/account/settings/email", member.ManageSelf, p.Recent(auth.Freshness, p.settings.ChangeEmail))
	p.post("/account/settings/language", member.ManageSelf, p.settings.SetLanguage)
	for _, form := range []string{"notifications", "recipients"} {
		p.add(fiber.MethodGet, "/account/settings/"+form, member.ManageSelf, p.redirectToPage("/account/settings"))
	}
	p.post("/account/settings/notifications", member.ChooseNotices, p.settings.SetNotifications)
	p.post("/account/settings/recipients", member.ChooseNotices, p.settings.AddRecipient)
	p.post("/account/settings/recipients/:id/remove", member.ChooseNotices, pages.ByID(p.settings.RemoveRecipient))
	app.Get(pages.NoticesPath+":token", p.Open(p.settings.NoticesPage))
	app.Post(pages.NoticesPath+":token", p.settings.StopByMail, p.Open(p.settings.AnswerNotices))
	p.get("/account/export", member.ManageSelf, p.Recent(auth.Freshness, p.settings.ExportForm))
	p.post("/account/export", member.ManageSelf, p.Recent(auth.Freshness, p.settings.Export))
	p.get("/account/delete", member.ManageSelf, p.Recent(auth.DeletionFreshness, p.settings.DeletePage))
	p.post("/account/delete", member.ManageSelf, p.Recent(auth.DeletionFreshness, p.settings.Delete))
	app.Get("/goodbye", p.Open(p.settings.Goodbye))

	p.get("/account/security", member.ManageSelf, p.security.Show)
	p.get("/account/security/activity", member.ManageSelf, p.security.Activity)
	p.get("/account/security/access", member.ManageSelf, p.security.Access)
	p.post("/account/security/access", member.ManageSelf, p.security.RevokeAccess)
	p.get("/account/security/password", member.ManageSelf, p.Recent(auth.Freshness, p.security.PasswordPage))
	p.post("/account/security/password", member.ManageSelf, p.Recent(auth.Freshness, p.security.ChangePassword))
	p.get("/account/security/two-factor", member.ManageSelf, p.Recent(auth.Freshness, p.security.TOTPForm))
	p.post("/account/security/two-factor", member.ManageSelf, p.Recent(auth.Freshness, p.security.EnableTOTP))
	p.get("/account/security/two-factor/off", member.ManageSelf, p.Recent(auth.Freshness, p.security.TOTPOffForm))
	p.post("/account/security/two-factor/off", member.ManageSelf, p.Recent(auth.Freshness, p.security.DisableTOTP))
	p.get("/account/security/codes", member.ManageSelf, p.Recent(auth.Freshness, p.security.CodesForm))
	p.post("/account/security/codes", member.ManageSelf, p.Recent(auth.Freshness, p.security.NewCodes))
	p.get("/account/security/identities/:id/unlink", member.ManageSelf,
		p.Recent(auth.Freshness, pages.ByID(p.security.UnlinkPage)))
	p.post("/account/security/identities/:id/unlink", member.ManageSelf,
		p.Recent(auth.Freshness, pages.ByID(p.security.Unlink)))
	p.post("/account/security/sessions/others", member.ManageSelf, p.security.EndOtherSessions)
	p.post("/account/security/sessions/all", member.ManageSelf, p.security.EndAllSessions)
	p.post("/account/security/sessions/:id/end", member.ManageSelf, pages.ByID(p.security.EndSession))
}
