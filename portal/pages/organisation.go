package pages

import (
	"errors"
	"slices"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/member"
	"arpent/internal/httpbody"
	"arpent/internal/ident"
	"arpent/portal/view"
	"arpent/web"
)

// errOtherOrganisation is the error for a form of a page that showed another organisation than the one that
// the session has chosen since.
var errOtherOrganisation = errors.New("the form belongs to a page of another organisation")

// errFormerMember is the error for a form of a page of an organisation of which the visitor is no longer a
// member.
var errFormerMember = errors.New("the visitor is no longer a member of the organisation of the page")

// errFactorNeeded is the error for a page of an organisation that requires a second factor, which the session
// lacks.
var errFactorNeeded = errors.New("the organisation requires a second factor")

// chosenOrganisation is the organisation in the tokens of forms; 0: the person's own account.
func chosenOrganisation(s auth.Session) ident.AccountID {
	if s.ActsForOrganisation() {
		return s.Organisation
	}
	return 0
}

// checkMember is an error unless the role of the visitor allows the action, and a form that was sent is of a
// page of the organisation that is chosen now.
func (s *Server) checkMember(c *fiber.Ctx, v *Visitor, a member.Action) error {
	if of := tokenOrganisation(httpbody.Field(c, csrfField)); c.Method() == fiber.MethodPost &&
		of != chosenOrganisation(v.Session) {
		list, err := s.Auth.Memberships(v.Ctx, v.Session)
		if err != nil {
			return err
		}
		if of != 0 && !slices.ContainsFunc(list, func(m auth.Membership) bool { return m.ID == of }) {
			return errFormerMember
		}
		return errOtherOrganisation
	}
	if v.Session.NeedsFactor {
		return errFactorNeeded
	}
	if !v.Session.Role.May(a) {
		return member.ErrRole
	}
	return nil
}

// findFactorDue finds the second factor that the visitor has to add for one of their organisations: for the
// chosen one once its pages are closed, else for the one that requires it first and has not begun to.
func (s *Server) findFactorDue(v *Visitor, list []auth.Membership) (due *web.FactorDue) {
	for _, m := range list {
		switch {
		case m.FactorFrom == nil:
		case v.Session.IsKeptOut(m.FactorFrom, s.Now()):
			if m.ID == v.Session.Organisation {
				return &web.FactorDue{Organisation: m.Name, From: *m.FactorFrom, Over: true,
					HasPasskey: v.Session.HasPasskey}
			}
		case !v.Session.HasTOTP && !v.Session.HasPasskey && (due == nil || m.FactorFrom.Before(due.From)):
			due = &web.FactorDue{Organisation: m.Name, From: *m.FactorFrom}
		}
	}
	return due
}

// tabActions are the actions that the first pages of the tabs are registered with.
var tabActions = map[string]member.Action{view.TabHome: member.ViewHome, view.TabKeys: member.ListKeys,
	view.TabAssistants: member.ListAssistants, view.TabUsage: member.ViewUsage, view.TabPlan: member.ViewPlan,
	view.TabOrganisation: member.ViewMembers}

// showOrganisations adds the choice of an organisation to the frame of a visitor who is a member of one.
func (s *Server) showOrganisations(v *Visitor) error {
	list, err := s.Auth.Memberships(v.Ctx, v.Session)
	if err != nil || len(list) == 0 {
		return err
	}
	shown := &web.Organisation{Name: v.Session.OrganisationName, Hidden: map[string]bool{},
		ReadsKeys: !v.Session.Role.May(member.CreateKey), Choices: []web.Choice{
			{ID: int64(v.Session.Account), Name: v.Session.Email, Chosen: !v.Session.ActsForOrganisation()}}}
	if v.Session.ActsForOrganisation() {
		shown.Role = view.RoleName(v.Frame.Lang, string(v.Session.Role))
	}
	for tab, action := range tabActions {
		shown.Hidden[tab] = !v.Session.Role.May(action)
	}
	for _, m := range list {
		shown.Choices = append(shown.Choices, web.Choice{ID: int64(m.ID), Name: m.Name,
			Chosen: m.ID == v.Session.Organisation})
	}
	v.Frame.Organisation, v.Frame.FactorDue = shown, s.findFactorDue(v, list)
	return nil
}

// OwnKeysOnly reports whether the visitor sees no keys of the account but those that they made.
func (v *Visitor) OwnKeysOnly() bool {
	return v.Account != v.Session.Account && v.Session.Role.SeesOwnKeysOnly()
}

// Sees reports whether the page may show a key of the account to the visitor.
func (v *Visitor) Sees(k apikey.Key) bool {
	return !v.OwnKeysOnly() || k.CreatedBy != nil && *k.CreatedBy == v.Session.Account
}

// ListKeys lists the keys of the account that the visitor sees, ended ones included, the oldest first.
func (s *Server) ListKeys(v *Visitor) ([]apikey.Key, error) {
	all, err := s.Keys.List(v.Ctx, v.Account)
	if err != nil {
		return nil, err
	}
	seen := all[:0]
	for _, k := range all {
		if v.Sees(k) {
			seen = append(seen, k)
		}
	}
	return seen, nil
}
