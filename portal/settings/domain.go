package settings

import (
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/auth/member"
	"arpent/auth/policy"
	"arpent/internal/ident"
	"arpent/portal/pages"
	"arpent/web"
)

// The addresses of the page of the domains and of the form that joins an organisation.
const (
	DomainsPath = OrganisationPath + "/domains"
	JoinPath    = "/account/organisations/join"
)

// The ways to join by an address of a domain, as the form names them.
const (
	joiningOff      = "off"
	joiningApproval = "approval"
	joiningOpen     = "open"
)

// ShowDomains shows the domains of the organisation, each with the record that proves it.
func (p *OrganisationPages) ShowDomains(c *fiber.Ctx, v *pages.Visitor) error {
	list, err := p.Domains.List(v.Ctx, v.Account)
	if err != nil {
		return err
	}
	page := Domains{Frame: v.Frame, Done: c.Query("done"), Errors: v.Errors(), Typed: pages.Text(c, "domain"),
		MayChoose: v.Session.Role.May(member.ChooseJoining), IsFull: len(list) >= policy.MaxDomains}
	for _, d := range list {
		page.Domains = append(page.Domains, viewDomain(d))
	}
	return web.Send(c, DomainsPage(page))
}

func viewDomain(d policy.Domain) Domain {
	shown := Domain{ID: d.ID, Name: d.Name, Unicode: policy.Unicode(d.Name), RecordName: d.RecordName(),
		RecordValue: d.RecordValue(), ProvenAt: d.ProvenAt, LosesAt: d.LosesAt(),
		Lost: d.ProvenAt == nil && d.SeenAt != nil, Joining: joiningOff, Role: string(d.JoinRole)}
	switch {
	case d.JoinRole == "":
		shown.Role = string(member.Reader) // what the form offers first
	case d.Approval:
		shown.Joining = joiningApproval
	default:
		shown.Joining = joiningOpen
	}
	return shown
}

// AddDomain adds a domain, which is to be proven.
func (p *OrganisationPages) AddDomain(c *fiber.Ctx, v *pages.Visitor) error {
	err := p.Domains.Add(v.Ctx, v.Account, pages.Text(c, "domain"))
	return v.Answer(c, err, p.ShowDomains, DomainsPath+"?done=added")
}

// CheckDomain looks the record of a domain up now.
func (p *OrganisationPages) CheckDomain(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	return v.Answer(c, p.Domains.Check(v.Ctx, v.Account, id), p.ShowDomains, DomainsPath+"?done=proven")
}

// SetJoining chooses who can join by an address of a domain.
func (p *OrganisationPages) SetJoining(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	joining, role := pages.Text(c, "joining"), member.Role(pages.Text(c, "role"))
	switch {
	case !slices.Contains([]string{joiningOff, joiningApproval, joiningOpen}, joining):
		return v.Again(c, auth.NewProblem("", auth.CodeJoiningUnknown), p.ShowDomains)
	case joining == joiningOff:
		role = ""
	case role == "": // which would be off
		return v.Again(c, auth.NewProblem("", auth.CodeRoleUnknown), p.ShowDomains)
	}
	err := p.Domains.SetJoining(v.Ctx, v.Account, id, role, joining == joiningApproval)
	return v.Answer(c, err, p.ShowDomains, DomainsPath+"?done=joining")
}

// RemoveDomainForm asks for confirmation before a domain is removed.
func (p *OrganisationPages) RemoveDomainForm(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	list, err := p.Domains.List(v.Ctx, v.Account)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(d policy.Domain) bool { return d.ID == id })
	if at < 0 {
		return pages.ErrNothing
	}
	return web.Send(c, RemoveDomainPage(v.Frame, viewDomain(list[at])))
}

// RemoveDomain removes a domain.
func (p *OrganisationPages) RemoveDomain(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	return pages.RedirectAfter(c, p.Domains.Remove(v.Ctx, v.Account, id), DomainsPath+"?done=removed")
}

// Join makes the visitor a member of the organisation that has proven the domain of their address, or asks
// its administrators to.
func (p *OrganisationPages) Join(c *fiber.Ctx, v *pages.Visitor) error {
	id, err := strconv.ParseInt(pages.Text(c, "organisation"), 10, 64)
	if err != nil || id < 1 {
		return pages.ErrNothing
	}
	joined, err := p.Domains.Join(v.Ctx, ident.AccountID(id))
	if err != nil {
		return err
	}
	if !joined {
		return pages.Redirect(c, "/account?done=asked")
	}
	err = p.Auth.ChooseOrganisation(v.Ctx, v.Session, ident.AccountID(id))
	return pages.RedirectAfter(c, err, "/account?done=joined")
}

// Approve makes a person who asked a member.
func (p *OrganisationPages) Approve(c *fiber.Ctx, v *pages.Visitor, id ident.AccountID) error {
	return v.Answer(c, p.Domains.Approve(v.Ctx, v.Account, id), p.Show, OrganisationPath+"?done=approved")
}

// Decline refuses a person who asked.
func (p *OrganisationPages) Decline(c *fiber.Ctx, v *pages.Visitor, id ident.AccountID) error {
	return pages.RedirectAfter(c, p.Domains.Decline(v.Ctx, v.Account, id), OrganisationPath+"?done=declined")
}
