// Package member says which roles a person can have in an organisation, and what each role may do.
package member

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// Role is what a person is in an organisation. A person is the owner of their own account.
type Role string

// The roles. The database knows these five.
const (
	Owner     Role = "owner"     // everything
	Admin     Role = "admin"     // keys, members and limits
	Developer Role = "developer" // the keys that they made, and the usage of these
	Billing   Role = "billing"   // the plan, invoices and tax data; no keys
	Reader    Role = "reader"    // reads usage and lists
)

// Roles are all roles, in the order in which forms offer them.
var Roles = []Role{Owner, Admin, Developer, Billing, Reader}

// Action is what a page of an organisation shows or does.
type Action string

// The actions. Each page of an account is registered with one of them.
const (
	// a person's own sign-in, sessions, language, export and deletion, whatever the organisation
	ManageSelf Action = "manage_self"

	ViewHome         Action = "view_home"
	ListKeys         Action = "list_keys"
	ViewKey          Action = "view_key"
	CreateKey        Action = "create_key"
	ChangeKey        Action = "change_key" // its name, restrictions and expiry; pause and resume
	RotateKey        Action = "rotate_key"
	RevokeKey        Action = "revoke_key"
	RunKey           Action = "run_key"
	ListAssistants   Action = "list_assistants"
	ConnectAssistant Action = "connect_assistant"
	UseConsole       Action = "use_console"
	ViewUsage        Action = "view_usage"
	ExportUsage      Action = "export_usage"
	ViewPlan         Action = "view_plan"
	BuyPlan          Action = "buy_plan" // or wish for one that is not sold yet
	ChangePlan       Action = "change_plan"
	CancelPlan       Action = "cancel_plan" // and keep it after all
	ManageInvoices   Action = "manage_invoices"
	ChooseReserve    Action = "choose_reserve" // requests beyond the quota, which are paid for
	ChooseNotices    Action = "choose_notices"
	// list, make and revoke the tokens of programs that read the account
	ManageTokens       Action = "manage_tokens"
	ManageWebhooks     Action = "manage_webhooks" // list, add, change, test and delete the endpoints of events
	ViewMembers        Action = "view_members"
	InviteMember       Action = "invite_member" // withdraw an invitation, answer people who ask to join
	ChangeRole         Action = "change_role"
	RemoveMember       Action = "remove_member"
	AppointOwner       Action = "appoint_owner" // invite, appoint, demote or remove an owner
	LeaveOrganisation  Action = "leave_organisation"
	ViewActivity       Action = "view_activity"
	RenameOrganisation Action = "rename_organisation"
	SetContact         Action = "set_contact" // the address of mails and invoices
	DeleteOrganisation Action = "delete_organisation"
	RequireFactor      Action = "require_factor" // have all members need a second factor
	ManageDomains      Action = "manage_domains" // add, prove and remove domains
	ChooseJoining      Action = "choose_joining" // whether people with an address of a domain can join
)

// allowed is the one place that says which roles may do what.
var allowed = map[Action][]Role{
	ManageSelf: Roles,

	ViewHome:           Roles,
	ListKeys:           {Owner, Admin, Developer, Reader},
	ViewKey:            {Owner, Admin, Developer, Reader},
	CreateKey:          {Owner, Admin, Developer},
	ChangeKey:          {Owner, Admin, Developer},
	RotateKey:          {Owner, Admin, Developer},
	RevokeKey:          {Owner, Admin, Developer},
	RunKey:             {Owner, Admin, Developer},
	ListAssistants:     {Owner, Admin, Developer, Reader},
	ConnectAssistant:   {Owner, Admin, Developer},
	UseConsole:         {Owner, Admin, Developer},
	ViewUsage:          {Owner, Admin, Developer, Reader},
	ExportUsage:        {Owner, Admin, Developer, Reader},
	ViewPlan:           {Owner, Billing},
	BuyPlan:            {Owner, Billing},
	ChangePlan:         {Owner, Billing},
	CancelPlan:         {Owner, Billing},
	ManageInvoices:     {Owner, Billing},
	ChooseReserve:      {Owner},
	ChooseNotices:      {Owner, Admin},
	ManageTokens:       {Owner, Admin},
	ManageWebhooks:     {Owner, Admin},
	ViewMembers:        Roles,
	InviteMember:       {Owner, Admin},
	ChangeRole:         {Owner, Admin},
	RemoveMember:       {Owner, Admin},
	AppointOwner:       {Owner},
	LeaveOrganisation:  Roles,
	ViewActivity:       {Owner, Admin},
	RenameOrganisation: {Owner},
	SetContact:         {Owner, Billing},
	DeleteOrganisation: {Owner},
	RequireFactor:      {Owner},
	ManageDomains:      {Owner, Admin},
	ChooseJoining:      {Owner},
}

// May reports whether the role allows the action. An action that is not in the table is allowed to no role.
func (r Role) May(a Action) bool { return slices.Contains(allowed[a], r) }

// RolesThatMay are the roles that an action is allowed to.
func RolesThatMay(a Action) []Role { return allowed[a] }

// SeesOwnKeysOnly reports whether a member with this role sees no keys and no usage but those of the keys
// that they made.
func (r Role) SeesOwnKeysOnly() bool { return r == Developer }

// ErrRole is returned for an act that the role of the person in the organisation does not allow.
var ErrRole = errors.New("the role in the organisation does not allow this")

// The account of a person can have become an organisation since a request read who is signed in.
const readRole = `
SELECT role FROM account.member WHERE account_id = $1 AND person_id = $2
UNION ALL SELECT 'owner' FROM account.account WHERE id = $1 AND id = $2 AND kind = 'person'`

// ReadRole returns the role of a person in an account: Owner in their own one, and empty, which may do
// nothing, where the person is not a member. It reads both rows: with row security, as the service or acting
// for that account.
func ReadRole(ctx context.Context, q pgdb.DB, account, person ident.AccountID) (role Role, err error) {
	return pgdb.Value[Role](ctx, q, nil, fmt.Sprintf("read a role in account %d", account), readRole, account,
		person)
}

// The lock makes those who act on one account take turns, so that together they keep its rules. It is of the
// kind that leaves the meter alone, which refers to the account when it writes its counts.
const lockAccount = `SELECT email_confirmed_at IS NOT NULL FROM account.account WHERE id = $1 FOR NO KEY UPDATE`

// LockAccount locks the row of an account until tx ends, and reports whether its address is confirmed. A
// fault.NotFound without the account.
func LockAccount(ctx context.Context, tx pgx.Tx, account ident.AccountID) (confirmed bool, err error) {
	return pgdb.Value[bool](ctx, tx, errNoAccount, "lock an account", lockAccount, account)
}

var errNoAccount = fault.Missing("There is no such account.")

// RequireRole returns the role of a person in an account, which must allow an action: ErrRole. To a person
// who is not a member the account does not exist: a fault.NotFound. A removal and a change of role lock the
// account too, so that a request that waited for LockAccount acts with the role of afterwards.
func RequireRole(ctx context.Context, q pgdb.DB, account, person ident.AccountID, needs Action) (Role, error) {
	role, err := ReadRole(ctx, q, account, person)
	switch {
	case err != nil:
		return "", err
	case role == "":
		return "", errNoAccount
	case !role.May(needs):
		return "", ErrRole
	}
	return role, nil
}

// StoreTimeout bounds one act on the rows of an account.
const StoreTimeout = 10 * time.Second

// Act runs an act on an account, whose row is locked meanwhile, for the person of the context, whose role
// must allow it. confirmed is whether the address of the account is.
func Act(ctx context.Context, db *pgxpool.Pool, account ident.AccountID, needs Action,
	do func(ctx context.Context, tx pgx.Tx, confirmed bool) error) error {
	ctx, cancel := context.WithTimeout(ctx, StoreTimeout)
	defer cancel()
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		confirmed, err := LockAccount(ctx, tx, account)
		if err != nil {
			return err
		}
		if _, err := RequireRole(ctx, tx, account, audit.ActorOf(ctx).Person, needs); err != nil {
			return err
		}
		return do(ctx, tx, confirmed)
	})
}

// A member has no request to join, and is no longer kept from joining by a domain.
const insertMember = `
WITH answered AS (DELETE FROM account.join_request WHERE account_id = $1 AND person_id = $2)
INSERT INTO account.member (account_id, person_id, role, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`

// Insert makes a person a member of an organisation, and reports whether they were none. A member keeps their
// role.
func Insert(ctx context.Context, tx pgx.Tx, account, person ident.AccountID, role Role,
	at time.Time) (inserted bool, err error) {
	tag, err := tx.Exec(ctx, insertMember, account, person, role, at)
	return tag.RowsAffected() > 0, fault.Wrap("add a member", err)
}

// The owner of a personal account is that account. An unconfirmed address may belong to another person.
const listMailReaders = `
SELECT p.email, p.language FROM account.account p
WHERE (p.id = $1 AND p.kind = 'person' OR p.id IN (
        SELECT m.person_id FROM account.member m WHERE m.account_id = $1 AND m.role = ANY ($2)))
    AND p.email_confirmed_at IS NOT NULL ORDER BY p.id`

// Notify leaves a mail to each of the people whose role in an account allows an action, in their language.
func Notify(ctx context.Context, tx pgx.Tx, account ident.AccountID, allows Action, template mail.Template,
	values map[string]string) error {
	type reader struct{ Email, Language string }
	readers, err := pgdb.Collect(ctx, tx, pgx.RowToStructByPos[reader], listMailReaders, account,
		RolesThatMay(allows))
	if err != nil {
		return fmt.Errorf("list the members of account %d who may %s: %w", account, allows, err)
	}
	for _, r := range readers {
		if err := mail.Send(ctx, tx, mail.Job{Template: template, To: r.Email, Language: r.Language,
			Account: int64(account), Values: values}); err != nil {
			return err
		}
	}
	return nil
}

// IsKnown reports whether the text is one of the roles.
func (r Role) IsKnown() bool { return slices.Contains(Roles, r) }
