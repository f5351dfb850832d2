package portal

import (
	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/auth/assistant"
	"arpent/auth/member"
	"arpent/portal/keys"
	"arpent/portal/pages"
	"arpent/portal/settings"
	"arpent/portal/signin"
	"arpent/portal/view"
	"arpent/web"
	"arpent/web/reference"
)

// publications are the pages for those who have no account yet, or are not signed in.
var publications = []web.Publication{
	{Path: "/signup", Description: [2]string{
		"Créez un compte pour obtenir une clé de l’API\u00a0: une adresse e-mail et un mot de passe suffisent, sans carte bancaire.",
		"Create an account to get a key of the API: an email address and a password are enough, no card needed."}},
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

// addRoute registers an address of the pages of an account. The handler asks for the action.
func (p *Portal) addRoute(method, path string, a member.Action, h fiber.Handler) {
	p.routes = append(p.routes, Route{method, path, a})
	if method == fiber.MethodGet {
		p.app.Get(path, h) // HEAD too
		return
	}
	p.app.Add(method, path, h)
}

// servePage registers a page of an account for members whose role allows the action.
func (p *Portal) servePage(path string, a member.Action, h pages.Handler) {
	p.addRoute(fiber.MethodGet, path, a, p.Members(a, h))
}

// acceptForm registers the address of a form in the same way.
func (p *Portal) acceptForm(path string, a member.Action, h pages.Handler) {
	p.addRoute(fiber.MethodPost, path, a, p.Members(a, h))
}

// serveForm registers a page with a form that posts to its own address.
func (p *Portal) serveForm(path string, a member.Action, show, act pages.Handler) {
	p.servePage(path, a, show)
	p.acceptForm(path, a, act)
}

// openForm registers such a page for any visitor.
func (p *Portal) openForm(path string, show, act pages.Handler) {
	p.app.Get(path, p.Open(show))
	p.app.Post(path, p.Open(act))
}

// requireRecent has members authenticate again before a page.
func (p *Portal) requireRecent(h pages.Handler) pages.Handler { return p.Recent(auth.Freshness, h) }

// Register adds the pages to the server. Every address of the portal is in this list. Open pages are for any
// visitor; servePage and acceptForm are for members of the account, and name the action that their role has
// to allow. Before a recent page they authenticate again.
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
	p.openForm("/signup", p.signin.SignUpForm, p.signin.SignUp)
	app.Get("/signup/sent", p.Open(p.signin.SentPage))
	app.Get("/signup/continue", p.Open(p.signin.Continue))
	app.Get("/signup/waiting", p.Open(p.signin.Waiting))
	app.Get("/resend", p.redirectToPage("/signup/sent"))
	app.Post("/resend", p.Open(p.signin.Resend))
	p.openForm("/confirm/:token", p.signin.ConfirmPage, p.signin.Confirm)
	p.openForm("/signin", p.signin.SignInForm, p.signin.SignIn)
	p.openForm("/signin/code", p.signin.CodeForm, p.signin.Code)
	app.Post("/signin/passkey/challenge", p.Open(p.signin.PasskeyChallenge))
	app.Get("/signin/passkey", p.redirectToPage("/signin"))
	app.Post("/signin/passkey", p.Open(p.signin.SignInWithPasskey))
	app.Post("/signin/code/passkey/challenge", p.Open(p.signin.FactorChallenge))
	app.Get("/signin/code/passkey", p.redirectToPage("/signin/code"))
	app.Post("/signin/code/passkey", p.Open(p.signin.FactorByPasskey))
	app.Post("/signout", p.Open(p.signin.SignOut))
	p.openForm("/forgot", p.signin.ForgotPage, p.signin.Forgot)
	p.openForm("/reset/:token", p.signin.ResetPage, p.signin.Reset)
	p.openForm("/recover/:token", p.signin.RecoverPage, p.signin.Recover)
	p.serveForm("/email/:token", member.ManageSelf, p.signin.EmailPage, p.signin.ConfirmEmail)
	app.Post("/auth/:provider", p.Open(p.signin.StartOAuth))
	app.Get("/auth/:provider/callback", p.Open(p.signin.Callback))
	p.serveForm("/account/verify", member.ManageSelf, p.signin.VerifyPage, p.signin.Verify)
	p.addRoute(fiber.MethodGet, "/account/verify/mail", member.ManageSelf, p.redirectToPage(pages.VerifyPage))
	p.acceptForm("/account/verify/mail", member.ManageSelf, p.signin.SendVerifyLink)
	p.acceptForm("/account/verify/passkey/challenge", member.ManageSelf, p.signin.ProofChallenge)
	p.addRoute(fiber.MethodGet, "/account/verify/passkey", member.ManageSelf, p.redirectToPage(pages.VerifyPage))
	p.acceptForm("/account/verify/passkey", member.ManageSelf, p.signin.VerifyByPasskey)
	p.serveForm("/verify/:token", member.ManageSelf, p.signin.VerifyLinkPage, p.signin.VerifyByLink)

	if p.console != nil {
		p.addRoute(fiber.MethodPost, reference.Path+"/:operation", member.UseConsole,
			p.OpenOr(p.console.Stale, p.console.Call))
	}
	if p.signin.Assistants != nil {
		p.addRoute(fiber.MethodGet, assistant.AuthorizePath, member.ManageSelf, p.Open(p.signin.ShowConsent))
		p.addRoute(fiber.MethodPost, assistant.AuthorizePath, member.ConnectAssistant,
			p.OpenOr(signin.RestartConsent, p.signin.Decide)) // of the organisation that the form names
	}
}

func (p *Portal) registerAccount() {
	p.servePage("/account", member.ViewHome, p.showHome)
	p.servePage("/account/keys", member.ListKeys, p.keys.List)
	p.serveForm("/account/keys/new", member.CreateKey, p.keys.NewForm, p.keys.Create)
	p.servePage("/account/keys/:id", member.ViewKey, p.keys.ByID(p.keys.Detail))
	for _, form := range []string{"rename", "restrict", "expiry", "pause", "resume"} {
		p.servePage("/account/keys/:id/"+form, member.ViewKey, p.keys.ByID(p.keys.PageOf))
	}
	p.acceptForm("/account/keys/:id/rename", member.ChangeKey, p.keys.ByID(p.keys.Rename))
	p.acceptForm("/account/keys/:id/restrict", member.ChangeKey, p.keys.ByID(p.keys.Restrict))
	p.acceptForm("/account/keys/:id/expiry", member.ChangeKey, p.keys.ByID(p.keys.SetExpiry))
	p.acceptForm("/account/keys/:id/pause", member.ChangeKey, p.keys.ByID(p.keys.Pause))
	p.acceptForm("/account/keys/:id/resume", member.ChangeKey, p.keys.ByID(p.keys.Resume))
	p.serveForm("/account/keys/:id/rotate", member.RotateKey,
		p.keys.ByID(p.keys.RotateForm), p.keys.ByID(p.keys.Rotate))
	p.serveForm("/account/keys/:id/revoke", member.RevokeKey,
		p.keys.ByID(p.keys.RevokeForm), p.keys.ByID(p.keys.Revoke))
	p.acceptForm("/account/keys/:id/run", member.RunKey, p.keys.ByID(p.keys.Run))
	p.servePage(keys.TokensPath, member.ManageTokens, p.tokens.List)
	p.serveForm(keys.TokensPath+"/new", member.ManageTokens,
		p.requireRecent(p.tokens.NewForm), p.requireRecent(p.tokens.Create))
	p.serveForm(keys.TokensPath+"/:id/revoke", member.ManageTokens,
		pages.ByID(p.tokens.RevokeForm), pages.ByID(p.tokens.Revoke))
	p.registerWebhooks()
	p.servePage("/account/assistants", member.ListAssistants, p.keys.Assistants)
	p.servePage("/account/usage", member.ViewUsage, p.usage.Show)
	p.addRoute(fiber.MethodGet, "/account/usage/now", member.ViewUsage, p.Open(p.usage.Gauges))
	p.servePage("/account/usage.csv", member.ExportUsage, p.usage.CSV)
}

func (p *Portal) registerWebhooks() {
	const path, may = keys.WebhooksPath, member.ManageWebhooks
	p.servePage(path, may, p.webhooks.List)
	p.serveForm(path+"/new", may, p.requireRecent(p.webhooks.NewForm), p.requireRecent(p.webhooks.Create))
	p.servePage(path+"/:id", may, pages.ByID(p.webhooks.Detail))
	p.serveForm(path+"/:id/edit", may,
		p.requireRecent(pages.ByID(p.webhooks.EditForm)), p.requireRecent(pages.ByID(p.webhooks.Edit)))
	p.serveForm(path+"/:id/secret", may,
		p.requireRecent(pages.ByID(p.webhooks.SecretForm)), p.requireRecent(pages.ByID(p.webhooks.ReplaceSecret)))
	p.serveForm(path+"/:id/test", may, pages.ByID(p.webhooks.PageOf), pages.ByID(p.webhooks.SendTest))
	p.serveForm(path+"/:id/on", may, pages.ByID(p.webhooks.PageOf), pages.ByID(p.webhooks.SwitchOn))
	p.serveForm(path+"/:id/delete", may, pages.ByID(p.webhooks.DeleteForm), pages.ByID(p.webhooks.Delete))
	p.serveForm(path+"/deliveries/:id/resend", may,
		pages.ByID(p.webhooks.PageOfDelivery), pages.ByID(p.webhooks.SendAgain))
}

func (p *Portal) registerPlan() {
	p.servePage("/account/plan", member.ViewPlan, p.plan.Show)
	for _, form := range []string{"subscribe", "wish", "resume", "portal", "reserve", "billing", "recipients"} {
		p.addRoute(fiber.MethodGet, "/account/plan/"+form, member.ManageSelf, p.redirectToPage("/account/plan"))
	}
	p.acceptForm("/account/plan/subscribe", member.BuyPlan, p.plan.Selling(p.plan.Subscribe))
	p.acceptForm("/account/plan/wish", member.BuyPlan, p.plan.Wish)
	p.acceptForm("/account/plan/wish/remove", member.BuyPlan, p.plan.RemoveWish)
	p.servePage("/account/plan/done", member.ViewPlan, p.plan.Selling(p.plan.Done))
	p.serveForm("/account/plan/change", member.ChangePlan,
		p.requireRecent(p.plan.Selling(p.plan.ChangeForm)), p.requireRecent(p.plan.Selling(p.plan.Change)))
	p.serveForm("/account/plan/cancel", member.CancelPlan,
		p.plan.Selling(p.plan.CancelForm), p.plan.Selling(p.plan.Cancel))
	p.acceptForm("/account/plan/resume", member.CancelPlan, p.plan.Selling(p.plan.Resume))
	p.acceptForm("/account/plan/portal", member.ManageInvoices, p.plan.Selling(p.plan.PaymentPages))
	p.acceptForm("/account/plan/reserve", member.ChooseReserve,
		p.requireRecent(p.plan.Selling(p.plan.ChooseReserve)))
	p.acceptForm("/account/plan/billing", member.ManageInvoices, p.plan.Selling(p.plan.SetBilling))
	p.acceptForm("/account/plan/recipients", member.ManageInvoices, p.plan.AddRecipient)
	p.acceptForm("/account/plan/recipients/:id/remove", member.ManageInvoices, pages.ByID(p.plan.RemoveRecipient))
}

func (p *Portal) registerOrganisation() {
	p.serveForm("/account/organisations/new", member.ManageSelf, p.company.NewForm, p.company.Create)
	p.serveForm(settings.ConvertPath, member.ManageSelf,
		p.Recent(auth.DeletionFreshness, p.company.ConvertForm), p.company.Convert)
	p.acceptForm("/account/switch", member.ManageSelf, p.company.Switch)
	p.addRoute(fiber.MethodGet, settings.JoinPath, member.ManageSelf, p.redirectToPage("/account"))
	p.acceptForm(settings.JoinPath, member.ManageSelf, p.company.Join)

	const path = settings.OrganisationPath
	only := settings.ForCompanies
	p.servePage(path, member.ViewMembers, only(p.company.Show))
	for _, form := range []string{"invite", "invitations/:id/resend", "invitations/:id/withdraw", "members/:id/role", "name", "contact"} {
		p.addRoute(fiber.MethodGet, path+"/"+form, member.ManageSelf, p.redirectToPage(path))
	}
	p.acceptForm(path+"/invite", member.InviteMember, only(p.company.Invite))
	p.acceptForm(path+"/invitations/:id/resend", member.InviteMember, only(pages.ByID(p.company.Resend)))
	p.acceptForm(path+"/invitations/:id/withdraw", member.InviteMember, only(pages.ByID(p.company.Withdraw)))
	p.acceptForm(path+"/members/:id/role", member.ChangeRole, only(pages.ByID(p.company.ChangeRole)))
	p.serveForm(path+"/members/:id/remove", member.RemoveMember,
		only(pages.ByID(p.company.RemoveForm)), only(pages.ByID(p.company.Remove)))
	p.serveForm(path+"/leave", member.LeaveOrganisation, only(p.company.LeaveForm), only(p.company.Leave))
	p.acceptForm(path+"/name", member.RenameOrganisation, only(p.company.Rename))
	p.acceptForm(path+"/contact", member.SetContact, only(p.company.SetContact))
	p.servePage(view.FactorNeededPath, member.ManageSelf, only(p.company.FactorNeeded))
	p.serveForm(path+"/factor", member.RequireFactor,
		only(p.requireRecent(p.company.FactorForm)), only(p.requireRecent(p.company.RequireFactor)))
	p.addRoute(fiber.MethodGet, path+"/factor/off", member.ManageSelf, p.redirectToPage(path+"/factor"))
	p.acceptForm(path+"/factor/off", member.RequireFactor, only(p.requireRecent(p.company.ReleaseFactor)))
	for _, form := range []string{"requests/:id/approve", "requests/:id/decline"} {
		p.addRoute(fiber.MethodGet, path+"/"+form, member.ManageSelf, p.redirectToPage(path))
	}
	p.acceptForm(path+"/requests/:id/approve", member.InviteMember, only(pages.ByID(p.company.Approve)))
	p.acceptForm(path+"/requests/:id/decline", member.InviteMember, only(pages.ByID(p.company.Decline)))
	const domains = settings.DomainsPath
	p.serveForm(domains, member.ManageDomains, only(p.company.ShowDomains), only(p.company.AddDomain))
	for _, form := range []string{"check", "joining"} {
		p.addRoute(fiber.MethodGet, domains+"/:id/"+form, member.ManageSelf, p.redirectToPage(domains))
	}
	p.acceptForm(domains+"/:id/check", member.ManageDomains, only(pages.ByID(p.company.CheckDomain)))
	p.acceptForm(domains+"/:id/joining", member.ChooseJoining, only(pages.ByID(p.company.SetJoining)))
	p.serveForm(domains+"/:id/remove", member.ManageDomains,
		only(pages.ByID(p.company.RemoveDomainForm)), only(pages.ByID(p.company.RemoveDomain)))
	p.servePage(path+"/activity", member.ViewActivity, only(p.security.Activity))
	p.servePage(path+"/activity.csv", member.ViewActivity, only(p.security.ActivityCSV))
	p.servePage(path+"/activity.json", member.ViewActivity, only(p.security.ActivityJSON))
	p.servePage(path+"/notices", member.ChooseNotices, only(p.settings.ShowNotices))
	p.serveForm(path+"/delete", member.DeleteOrganisation,
		only(p.Recent(auth.DeletionFreshness, p.company.DeleteForm)), only(p.Recent(auth.DeletionFreshness, p.company.Delete)))
	p.addRoute(fiber.MethodGet, settings.InvitationPath+":token", member.ManageSelf,
		p.Open(p.company.InvitationPage))
	p.addRoute(fiber.MethodPost, settings.InvitationPath+":token", member.ManageSelf, p.Open(p.company.Accept))
}

func (p *Portal) registerSettings(app *fiber.App) {
	app.Post("/language", p.Open(p.settings.SetLanguage))
	p.servePage("/account/settings", member.ManageSelf, p.settings.Show)
	p.serveForm("/account/settings/email", member.ManageSelf,
		p.requireRecent(p.settings.EmailPage), p.requireRecent(p.settings.ChangeEmail))
	p.acceptForm("/account/settings/language", member.ManageSelf, p.settings.SetLanguage)
	for _, form := range []string{"notifications", "recipients"} {
		p.addRoute(fiber.MethodGet, "/account/settings/"+form, member.ManageSelf, p.redirectToPage("/account/settings"))
	}
	p.acceptForm("/account/settings/notifications", member.ChooseNotices, p.settings.SetNotifications)
	p.acceptForm("/account/settings/recipients", member.ChooseNotices, p.settings.AddRecipient)
	p.acceptForm("/account/settings/recipients/:id/remove", member.ChooseNotices, pages.ByID(p.settings.RemoveRecipient))
	for _, list := range []auth.Purpose{auth.PurposeNotices, auth.PurposeBillingMails} {
		path := pages.ListPath(list) + ":token"
		app.Get(path, p.Open(p.settings.NoticesPage(list)))
		app.Post(path, p.settings.StopByMail(list), p.Open(p.settings.AnswerNotices(list)))
	}
	p.serveForm("/account/export", member.ManageSelf, p.requireRecent(p.settings.ExportForm),
		p.requireRecent(p.settings.Export))
	p.serveForm("/account/delete", member.ManageSelf,
		p.Recent(auth.DeletionFreshness, p.settings.DeletePage), p.Recent(auth.DeletionFreshness, p.settings.Delete))
	app.Get("/goodbye", p.Open(p.settings.Goodbye))

	p.servePage("/account/security", member.ManageSelf, p.security.Show)
	p.servePage("/account/security/activity", member.ManageSelf, p.security.Activity)
	p.servePage("/account/security/activity.csv", member.ManageSelf, p.security.ActivityCSV)
	p.servePage("/account/security/activity.json", member.ManageSelf, p.security.ActivityJSON)
	p.serveForm("/account/security/access", member.ManageSelf, p.security.Access, p.security.RevokeAccess)
	p.serveForm("/account/security/password", member.ManageSelf,
		p.requireRecent(p.security.PasswordPage), p.requireRecent(p.security.ChangePassword))
	p.serveForm("/account/security/two-factor", member.ManageSelf,
		p.requireRecent(p.security.TOTPForm), p.requireRecent(p.security.EnableTOTP))
	p.serveForm("/account/security/two-factor/off", member.ManageSelf,
		p.requireRecent(p.security.TOTPOffForm), p.requireRecent(p.security.DisableTOTP))
	p.serveForm("/account/security/codes", member.ManageSelf,
		p.requireRecent(p.security.CodesForm), p.requireRecent(p.security.NewCodes))
	p.registerPasskeys()
	p.serveForm("/account/security/identities/:id/unlink", member.ManageSelf,
		p.requireRecent(pages.ByID(p.security.UnlinkPage)), p.requireRecent(pages.ByID(p.security.Unlink)))
	p.acceptForm("/account/security/sessions/others", member.ManageSelf, p.security.EndOtherSessions)
	p.acceptForm("/account/security/sessions/all", member.ManageSelf, p.security.EndAllSessions)
	p.acceptForm("/account/security/sessions/:id/end", member.ManageSelf, pages.ByID(p.security.EndSession))
}

func (p *Portal) registerPasskeys() {
	const path = "/account/security/passkeys"
	p.serveForm(path+"/new", member.ManageSelf, p.requireRecent(p.security.NewPasskeyPage),
		p.requireRecent(p.security.AddPasskey))
	p.acceptForm(path+"/new/challenge", member.ManageSelf, p.requireRecent(p.security.NewPasskeyChallenge))
	p.serveForm(path+"/:id", member.ManageSelf,
		pages.ByID(p.security.PasskeyPage), pages.ByID(p.security.RenamePasskey))
	p.serveForm(path+"/:id/remove", member.ManageSelf,
		p.requireRecent(pages.ByID(p.security.RemovePasskeyPage)), p.requireRecent(pages.ByID(p.security.RemovePasskey)))
}
