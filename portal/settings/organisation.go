package settings

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/auth/member"
	"arpent/auth/policy"
	"arpent/internal/ident"
	"arpent/portal/pages"
	"arpent/web"
)

// OrganisationPages serves the pages of an organisation: its members and invitations, its name and address,
// and how people join and leave it.
type OrganisationPages struct{ *pages.Server }

// OrganisationPath is the address of the page of the members.
const OrganisationPath = "/account/organisation"

// NewForm asks for the name of a new organisation.
func (p *OrganisationPages) NewForm(c *fiber.Ctx, v *pages.Visitor) error {
	errors := v.Errors()
	return web.Send(c, NewPage(New{Frame: v.Frame, Confirmed: v.Session.Confirmed, Email: v.Session.Email,
		MailDown: p.MailDown, Name: pages.Text(c, "name"), Error: errors["name"], Alert: errors[""]}))
}

// Create makes an organisation and shows its members, of whom the visitor is the first.
func (p *OrganisationPages) Create(c *fiber.Ctx, v *pages.Visitor) error {
	if _, err := p.Auth.CreateOrganisation(v.Ctx, v.Session, pages.Text(c, "name"), v.Origin); err != nil {
		return v.Again(c, err, p.NewForm)
	}
	return pages.Redirect(c, OrganisationPath+"?done=created")
}

// Switch has the pages of the session show another organisation, or the visitor's own account.
func (p *OrganisationPages) Switch(c *fiber.Ctx, v *pages.Visitor) error {
	id, err := strconv.ParseInt(pages.Text(c, "organisation"), 10, 64)
	if err != nil || id < 1 {
		return pages.ErrNothing
	}
	err = p.Auth.ChooseOrganisation(v.Ctx, v.Session, ident.AccountID(id))
	return pages.RedirectAfter(c, err, pages.LocalPath(pages.Next(c), "/account", ""))
}

// ForCompanies serves a page that only an organisation with members has.
func ForCompanies(h pages.Handler) pages.Handler {
	return func(c *fiber.Ctx, v *pages.Visitor) error {
		if !v.Session.ActsForOrganisation() {
			return pages.ErrNothing
		}
		return h(c, v)
	}
}

// Show shows the members of the organisation and the invitations, with the forms that the visitor's role
// allows.
func (p *OrganisationPages) Show(c *fiber.Ctx, v *pages.Visitor) error {
	members, err := p.Auth.Members(v.Ctx, v.Session)
	if err != nil {
		return err
	}
	role := v.Session.Role
	var invitations []auth.Invitation
	var requests []policy.Request
	if role.May(member.InviteMember) {
		if invitations, err = p.Auth.Invitations(v.Ctx, v.Session); err != nil {
			return err
		}
		if requests, err = p.Domains.Requests(v.Ctx, v.Account); err != nil {
			return err
		}
	}
	account, err := p.Auth.OrganisationContact(v.Ctx, v.Session)
	if err != nil {
		return err
	}
	page := Members{Frame: v.Frame, Name: v.Session.OrganisationName, Contact: account, Done: c.Query("done"),
		Roles: rolesFor(role), MayInvite: role.May(member.InviteMember), MayChange: role.May(member.ChangeRole),
		MayRename: role.May(member.RenameOrganisation), MaySetContact: role.May(member.SetContact),
		MaySeeActivity: role.May(member.ViewActivity), MayChooseNotices: role.May(member.ChooseNotices),
		MayDelete: role.May(member.DeleteOrganisation), MailDown: p.MailDown, Errors: v.Errors(),
		Email: pages.Text(c, "email"), Role: pages.Text(c, "role"), Open: pages.Field(c, "open") != "",
		NewName: pages.Text(c, "name"), SentTo: p.SentTo(c, invitationSent)}
	page.MayRequireFactor, page.MayManageDomains = role.May(member.RequireFactor), role.May(member.ManageDomains)
	if page.MayRequireFactor || v.Session.FactorFrom != nil {
		page.FactorRule = factorRule(v.Frame.Lang, v.Session.FactorFrom, p.Now())
	}
	for _, r := range requests {
		page.Requests = append(page.Requests, Request{ID: r.Person, Email: r.Email, Role: string(r.Role),
			AskedAt: r.AskedAt})
	}
	for _, m := range members {
		one := Member{ID: m.Person, Email: m.Email, Role: string(m.Role), Since: m.Since,
			Self:       m.Person == v.Session.Account,
			Changeable: page.MayChange && (m.Role != member.Owner || role.May(member.AppointOwner))}
		if page.MayChange {
			one.HasFactor, one.Keys = m.HasFactor(), m.Keys
		}
		page.Members = append(page.Members, one)
	}
	for _, i := range invitations {
		page.Invitations = append(page.Invitations, Invitation{ID: i.ID, Email: i.Email, Role: string(i.Role),
			Changeable: i.Role != member.Owner || role.May(member.AppointOwner), Open: !i.Bound,
			InvitedBy: i.InvitedBy, ExpiresAt: i.ExpiresAt, Expired: !p.Now().Before(i.ExpiresAt)})
	}
	return web.Send(c, MembersPage(page))
}

// rolesFor are the roles that a member with a role may give.
func rolesFor(role member.Role) []string {
	var list []string
	for _, r := range member.Roles {
		if r != member.Owner || role.May(member.AppointOwner) {
			list = append(list, string(r))
		}
	}
	return list
}

// invitationSent is the purpose under which the browser keeps where an invitation was sent.
const invitationSent = "invitation"

// Invite sends an invitation.
func (p *OrganisationPages) Invite(c *fiber.Ctx, v *pages.Visitor) error {
	email := pages.Text(c, "email")
	err := p.Auth.Invite(v.Ctx, v.Session, email, member.Role(pages.Text(c, "role")), pages.Field(c, "open") == "",
		v.Origin)
	if err != nil {
		return v.Again(c, err, p.Show)
	}
	p.SetSentTo(c, invitationSent, email)
	return pages.Redirect(c, OrganisationPath+"?done=invited")
}

// Resend sends an invitation again.
func (p *OrganisationPages) Resend(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	return v.Answer(c, p.Auth.ResendInvitation(v.Ctx, v.Session, id, v.Origin), p.Show,
		OrganisationPath+"?done=resent")
}

// Withdraw ends an invitation.
func (p *OrganisationPages) Withdraw(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	err := p.Auth.WithdrawInvitation(v.Ctx, v.Session, id, v.Origin)
	return pages.RedirectAfter(c, err, OrganisationPath+"?done=withdrawn")
}

// ChangeRole gives a member another role.
func (p *OrganisationPages) ChangeRole(c *fiber.Ctx, v *pages.Visitor, id ident.AccountID) error {
	err := p.Auth.ChangeRole(v.Ctx, v.Session, id, member.Role(pages.Text(c, "role")), v.Origin)
	return v.Answer(c, err, p.Show, OrganisationPath+"?done=role")
}

// RemoveForm shows what ends with the membership of a person, and asks for confirmation.
func (p *OrganisationPages) RemoveForm(c *fiber.Ctx, v *pages.Visitor, id ident.AccountID) error {
	page, err := p.describeEnd(v, id)
	if err != nil {
		return err
	}
	return web.Send(c, EndPage(page))
}

// Remove ends the membership of a person.
func (p *OrganisationPages) Remove(c *fiber.Ctx, v *pages.Visitor, id ident.AccountID) error {
	err := p.Auth.RemoveMember(v.Ctx, v.Session, id, v.Origin)
	return v.Answer(c, err, func(c *fiber.Ctx, v *pages.Visitor) error { return p.RemoveForm(c, v, id) },
		OrganisationPath+"?done=removed")
}

// LeaveForm is RemoveForm for the visitor.
func (p *OrganisationPages) LeaveForm(c *fiber.Ctx, v *pages.Visitor) error {
	return p.RemoveForm(c, v, v.Session.Account)
}

// Leave ends the membership of the visitor.
func (p *OrganisationPages) Leave(c *fiber.Ctx, v *pages.Visitor) error {
	err := p.Auth.LeaveOrganisation(v.Ctx, v.Session, v.Origin)
	return v.Answer(c, err, p.LeaveForm, "/account?done=left")
}

// describeEnd returns what ends with the membership of a person, and what stays.
func (p *OrganisationPages) describeEnd(v *pages.Visitor, person ident.AccountID) (End, error) {
	members, err := p.Auth.Members(v.Ctx, v.Session)
	if err != nil {
		return End{}, err
	}
	at := slices.IndexFunc(members, func(m auth.Member) bool { return m.Person == person })
	if at < 0 {
		return End{}, pages.ErrNothing
	}
	isOtherOwner := func(m auth.Member) bool { return m.Role == member.Owner && m.Person != person }
	page := End{Frame: v.Frame, Organisation: v.Session.OrganisationName, ID: person, Email: members[at].Email,
		Self: person == v.Session.Account, LastOwner: !slices.ContainsFunc(members, isOtherOwner),
		Alert: v.Errors()[""]}
	keys, err := p.Keys.List(v.Ctx, v.Account)
	if err != nil {
		return End{}, err
	}
	for _, k := range keys {
		switch {
		case k.CreatedBy == nil || *k.CreatedBy != person || !k.Live(p.Now()):
		case k.Personal:
			page.Ending = append(page.Ending, k.Name)
		default:
			page.Staying = append(page.Staying, k.Name)
		}
	}
	if members[at].Role.May(member.ManageWebhooks) {
		webhooks, err := p.Webhooks.List(v.Ctx, v.Account)
		if err != nil {
			return End{}, err
		}
		page.HasWebhooks = len(webhooks) > 0
	}
	return page, nil
}

// Rename gives the organisation another name.
func (p *OrganisationPages) Rename(c *fiber.Ctx, v *pages.Visitor) error {
	err := p.Auth.RenameOrganisation(v.Ctx, v.Session, pages.Text(c, "name"), v.Origin)
	return v.Answer(c, err, p.Show, OrganisationPath+"?done=renamed")
}

// SetContact has the mails of the organisation sent to one of its members.
func (p *OrganisationPages) SetContact(c *fiber.Ctx, v *pages.Visitor) error {
	id, err := strconv.ParseInt(pages.Text(c, "person"), 10, 64)
	if err != nil {
		return pages.ErrNothing
	}
	err = p.Auth.SetContact(v.Ctx, v.Session, ident.AccountID(id), v.Origin)
	return v.Answer(c, err, p.Show, OrganisationPath+"?done=contact")
}

// DeleteForm shows what is deleted with the organisation, and asks for its name.
func (p *OrganisationPages) DeleteForm(c *fiber.Ctx, v *pages.Visitor) error {
	members, err := p.Auth.Members(v.Ctx, v.Session)
	if err != nil {
		return err
	}
	page := Remove{Frame: v.Frame, Name: v.Session.OrganisationName, Typed: pages.Text(c, "name"),
		Wrong: c.Method() == fiber.MethodPost, Members: len(members), Customer: v.Bought.CustomerID != ""}
	keys, err := p.Keys.List(v.Ctx, v.Account)
	if err != nil {
		return err
	}
	if page.Access, err = p.CountAccess(v, keys); err != nil {
		return err
	}
	return web.Send(c, RemovePage(page))
}

// Delete deletes the organisation once its name has been typed, so that it is not done by accident.
func (p *OrganisationPages) Delete(c *fiber.Ctx, v *pages.Visitor) error {
	if strings.Join(strings.Fields(pages.Text(c, "name")), " ") != v.Session.OrganisationName {
		c.Status(fiber.StatusUnprocessableEntity)
		return p.DeleteForm(c, v)
	}
	err := p.Auth.DeleteOrganisation(v.Ctx, v.Session, v.Origin)
	return pages.RedirectAfter(c, err, "/account?done=deleted")
}
