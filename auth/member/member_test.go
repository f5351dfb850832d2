package member_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"arpent/auth/member"
)

// What the documentation promises of each role holds in the table: who looks after the plan has no keys, who
// reads changes nothing, who develops gets neither members nor the plan, and owners alone appoint owners.
func TestRoles(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("member.go")
	if err != nil {
		t.Fatal(err)
	}
	var actions []member.Action
	for _, m := range regexp.MustCompile(`(?m)^\t\w+ +Action = "(\w+)"`).FindAllSubmatch(source, -1) {
		actions = append(actions, member.Action(m[1]))
	}
	if len(actions) < 28 {
		t.Fatalf("only %d actions", len(actions))
	}
	keys := []member.Action{member.ListKeys, member.ViewKey, member.CreateKey, member.ChangeKey, member.RotateKey, member.RevokeKey, member.RunKey,
		member.ListAssistants, member.ConnectAssistant, member.UseConsole}
	reading := []member.Action{member.ManageSelf, member.ViewHome, member.ListKeys, member.ViewKey, member.ListAssistants, member.ViewUsage, member.ExportUsage,
		member.ViewMembers, member.LeaveOrganisation}
	money := []member.Action{member.ViewPlan, member.BuyPlan, member.ChangePlan, member.CancelPlan, member.ManageInvoices, member.SetContact}
	people := []member.Action{member.InviteMember, member.ChangeRole, member.RemoveMember, member.ViewActivity, member.ChooseNotices,
		member.ManageTokens, member.ManageWebhooks, member.ManageDomains}
	ownersOnly := []member.Action{member.ChooseReserve, member.AppointOwner, member.RenameOrganisation, member.DeleteOrganisation,
		member.RequireFactor, member.ChooseJoining}
	for _, a := range actions {
		for role, want := range map[member.Role]bool{
			member.Owner:     true,
			member.Admin:     !slices.Contains(ownersOnly, a) && !slices.Contains(money, a),
			member.Developer: slices.Contains(keys, a) || slices.Contains(reading, a),
			member.Billing: slices.Contains(money, a) || slices.Contains(reading, a) && !slices.Contains(keys, a) &&
				a != member.ViewUsage && a != member.ExportUsage,
			member.Reader: slices.Contains(reading, a),
		} {
			if role.May(a) != want {
				t.Errorf("%s, %s: %v", role, a, role.May(a))
			}
		}
		if !slices.Contains(slices.Concat(keys, reading, money, people, ownersOnly), a) {
			t.Errorf("%s is in no group", a)
		}
		if member.Role("").May(a) || member.Role("king").May(a) {
			t.Errorf("%s is allowed without a role", a)
		}
	}
	if member.Owner.May("") || member.Owner.May("something else") {
		t.Error("an action that is not in the table is allowed")
	}
}
