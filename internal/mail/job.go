// Package mail sends the messages of the service. A message is asked for in the transaction that causes it
// and leaves after: it is sent if and only if that transaction commits, again and again until the server
// takes it, and nothing secret waits in the queue.
package mail

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/jackc/pgx/v5"

	"arpent/internal/audit"
	"arpent/internal/jobs"
	"arpent/internal/pgdb"
)

// Template names one of the messages.
type Template string

// The messages.
const (
	Confirm      Template = "confirm"        // Link: confirm the address of a new account
	SignUpExists Template = "sign_up_exists" // somebody signed up with an address that has an account
	Reset        Template = "reset"          // Link: choose a new password
	// Link: prove again that the account is one's own, in the session that asked
	Verify       Template = "verify"
	EmailChange  Template = "email_change"  // Link: to the new address, which becomes the account's
	EmailChanged Template = "email_changed" // to the old address; Values: email (the new one)
	// somebody wants to move their account to this address, which has one
	EmailTaken       Template = "email_taken"
	NewSignIn        Template = "new_sign_in"        // from a device that was not seen before
	PasswordChanged  Template = "password_changed"   //
	TwoFactorOn      Template = "two_factor_on"      //
	TwoFactorOff     Template = "two_factor_off"     //
	RecoveryCodeUsed Template = "recovery_code_used" // Values: left
	RecoveryCodesNew Template = "recovery_codes_new" //
	IdentityLinked   Template = "identity_linked"    // Values: provider, email
	IdentityUnlinked Template = "identity_unlinked"  // Values: provider
	PasskeyAdded     Template = "passkey_added"      // Values: name
	PasskeyRemoved   Template = "passkey_removed"    // Values: name
	PasskeyCloned    Template = "passkey_cloned"     // refused, as its counter did not rise; Values: name
	// a provider that did not verify the address was used; Values: provider
	LinkFirst      Template = "link_first"
	SessionsEnded  Template = "sessions_ended"  // Values: count
	KeyCreated     Template = "key_created"     // Values: name
	AssistantAdded Template = "assistant_added" // Values: name (of its key)
	AssistantLeft  Template = "assistant_left"  // it gave its access back; Values: name (of its key)
	// ended because what is good once came again; Values: name (of its key)
	AssistantReused Template = "assistant_reused"
	// Values: name, until (of the old key, RFC 3339; absent: at once)
	KeyRotated  Template = "key_rotated"
	KeyRevoked  Template = "key_revoked"  // Values: name
	KeysRevoked Template = "keys_revoked" // all at once; Values: count
	// KeyRevokedByOperator: an operator revoked a key, mostly as it was found in public; Values: name.
	KeyRevokedByOperator Template = "key_revoked_by_operator"
	// TokenCreated: a management token was made; Values: name, expires (RFC 3339).
	TokenCreated Template = "token_created"
	KeyExpiring  Template = "key_expiring" // Values: name, expires (RFC 3339)
	// WebhookAdded, WebhookChanged and WebhookSecret: an endpoint was added, its address changed or its secret
	// replaced; to those who manage them; Values: name (of its server).
	WebhookAdded   Template = "webhook_added"
	WebhookChanged Template = "webhook_changed"
	WebhookSecret  Template = "webhook_secret"
	// WebhookOff: an endpoint failed for three days and was switched off; Values: name (of its server).
	WebhookOff Template = "webhook_off"
	// TokenExpiring: Values: name, expires (RFC 3339).
	TokenExpiring Template = "token_expiring"
	// The notices about a quota have a value reserve too where the account has one: what was left of it as
	// today began.
	Quota80      Template = "quota_80"     // Values: used, limit, plan
	QuotaPart    Template = "quota_part"   // Values: percent, used, limit, plan
	Quota100     Template = "quota_100"    // Values: used, limit, plan
	ReserveUsed  Template = "reserve_used" // Values: percent, used, limit
	ReserveEnded Template = "reserve_ended"
	// NoticeConfirm: Link: agree to the notices about the quota of an account; Values: owner (its address).
	NoticeConfirm Template = "notice_confirm"
	// QuotaCopy: Link: stop these notices; to a further address; Values: owner, percent, used, limit, plan.
	QuotaCopy Template = "quota_copy"
	// BillingConfirm: Link: agree to the mails about the payments of an account; Values: owner (its address).
	BillingConfirm Template = "billing_confirm"
	// Invitation: Link: become a member of an organisation; Values: organisation, inviter (an address), role.
	Invitation Template = "invitation"
	// to the organisation; Values: organisation, member (an address), role
	MemberJoined  Template = "member_joined"
	MemberRemoved Template = "member_removed" // to the person who was removed; Values: organisation
	// OwnerAdded and OwnerRemoved: to each owner and to the former one; Values: organisation, member (an
	// address).
	OwnerAdded   Template = "owner_added"
	OwnerRemoved Template = "owner_removed"
	// FactorNeeded: to a member without a second factor; Values: organisation, starts (RFC 3339).
	FactorNeeded Template = "factor_needed"
	// DomainLost: to the organisation; Values: organisation, domain.
	DomainLost Template = "domain_lost"
	// JoinRequested: to owners and administrators; Values: organisation, member (an address), role.
	JoinRequested Template = "join_requested"
	// JoinedByDomain: to the organisation; Values: organisation, member (an address), role, domain.
	JoinedByDomain Template = "joined_by_domain"
	JoinApproved   Template = "join_approved" // to the person who asked; Values: organisation, role
	// ContactChanged: to the former address of an organisation; Values: organisation, email (the new one).
	ContactChanged Template = "contact_changed"
	// BecameOrganisation: to the person whose account did; Values: organisation.
	BecameOrganisation Template = "became_organisation"
	// OrganisationDeleted: to its address and its owners; Values: organisation, and those of AccountDeleted.
	OrganisationDeleted Template = "organisation_deleted"
	// AccountDeleted: Values: plan (whose subscription ended with it; empty: none), reason (of an operator
	// who deleted it; absent: its owner did).
	AccountDeleted Template = "account_deleted"
	// FactorRecovery: Link: prove that the mail of the address is read, before the second factor is turned
	// off.
	FactorRecovery Template = "factor_recovery"
	// it was proved; Values: until (the factor stays that long, RFC 3339)
	FactorRecoveryDue Template = "factor_recovery_due"
	PlanStarted       Template = "plan_started" // Values: plan
	PlanChanged       Template = "plan_changed" // Values: was (absent: the same, paid otherwise), plan
	// Values: plan, until (the plan stays that long, RFC 3339)
	PaymentFailed Template = "payment_failed"
	Recovered     Template = "payment_recovered" // after a failure; Values: plan
	// the payment did not come; Values: plan (that has ended), now (in its place)
	GraceOver Template = "grace_over"
	// to the operator; Values: count, sources (the first names of those with former data), lacking (of those
	// without)
	SourcesKept Template = "sources_kept"
	PlanEnded   Template = "plan_ended" // Values: plan (that has ended), now (in its place)
	// cancelled; Values: plan, until (RFC 3339), now (in its place then)
	PlanEnding   Template = "plan_ending"
	PlanChanging Template = "plan_changing" // the same for another plan
	// PlanRenewing: it renews for a year soon; Values: plan, until (RFC 3339), cents (absent: not known).
	PlanRenewing   Template = "plan_renewing"
	PlanKept       Template = "plan_kept"       // neither any more; Values: plan
	AddressNeeded  Template = "address_needed"  // an invoice waits for the billing address; Values: plan
	BillingFinding Template = "billing_finding" // to the operator; Values: what, object (id at Stripe), detail
	PlansOnSale    Template = "plans_on_sale"   // to a person who asked to be notified; Values: plan
)

// Job asks for one message. Values hold nothing secret: they wait in the database, and operators read them.
// Messages about security also take the values "at" (RFC 3339), "device" and "address" of the actor; those
// about a plan "granted", the plan that the operator granted, where it makes that no limit changes, and where
// one is paid by the year "yearly", and "plan_interval", "was_interval" and "now_interval" (month or year).
// Send adds "organisation", the name of an organisation that a message is about, and "by", the address of the
// member who acts in the context.
type Job struct {
	Template Template          `json:"template"`
	To       string            `json:"to"`
	Language string            `json:"language"`          // fr or en
	Account  int64             `json:"account,omitempty"` // whom it is about; 0: no account
	Values   map[string]string `json:"values,omitempty"`
	Link     *Link             `json:"link,omitempty"`
}

// PurposeNotices is the purpose of the links in mails to a further address for notices: they lead to the page
// on which its reader agrees to them, and stops them.
const PurposeNotices = "notices"

// PurposeBillingMails is that of the links in mails about the payments of an account to a further address. A
// message with such a link, other than BillingConfirm, is the copy of one to the account: Values: owner.
const PurposeBillingMails = "billing-mails"

// PurposeInvitation is the purpose of the links that invite to an organisation.
const PurposeInvitation = "invitation"

// Link is a link by what it is for and its row. Its address is computed when the message leaves.
type Link struct {
	Purpose string `json:"purpose"` // confirm, reset, email, verify, recover, or one of the above
	ID      int64  `json:"id"`
}

// ErrNoLink: the link's row is gone, as another sign-up took the place of the one that it was for.
var ErrNoLink = errors.New("the link in it is no longer good")

// Kind is the name of the job in the queue.
func (Job) Kind() string { return "mail" }

const readOrganisation = `SELECT name FROM account.account WHERE id = $1 AND kind = 'organisation'`

// nameOrganisation adds to the values of a message which organisation it is about, if any, and who acts
// there.
func nameOrganisation(ctx context.Context, tx pgx.Tx, j *Job) error {
	if j.Account == 0 { // the role that loads data may send mails and reads no account
		return nil
	}
	var name string
	err := tx.QueryRow(ctx, readOrganisation, j.Account).Scan(&name)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the organisation: %w", err)
	}
	values := map[string]string{"organisation": name}
	if by := audit.ActorOf(ctx); by.Kind == audit.ActorAccount && by.By != "" {
		values["by"] = by.By
	}
	maps.Copy(values, j.Values)
	j.Values = values
	return nil
}

// SendCopies leaves copies of a message to an account for the further addresses that a query lists, by id and
// address. The query gets the account; purpose is that of the links by which a reader stops the copies.
func SendCopies(ctx context.Context, tx pgx.Tx, j Job, purpose, query string) error {
	type address struct {
		ID    int64
		Email string
	}
	further, err := pgdb.Collect(ctx, tx, pgx.RowToStructByPos[address], query, j.Account)
	if err != nil {
		return fmt.Errorf("read the further addresses of a mail: %w", err)
	}
	values := map[string]string{"owner": j.To}
	maps.Copy(values, j.Values)
	for _, a := range further {
		j.To, j.Values, j.Link = a.Email, values, &Link{Purpose: purpose, ID: a.ID}
		if err := Send(ctx, tx, j); err != nil {
			return err
		}
	}
	return nil
}

// Send leaves a message that goes once tx has committed.
func Send(ctx context.Context, tx pgx.Tx, j Job) error {
	if err := nameOrganisation(ctx, tx, &j); err != nil {
		return fmt.Errorf("send mail %s: %w", j.Template, err)
	}
	if err := jobs.Insert(ctx, tx, j, nil); err != nil {
		return fmt.Errorf("send mail %s: %w", j.Template, err)
	}
	return nil
}
