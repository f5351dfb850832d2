package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"arpent/auth/password"
	"arpent/internal/fault"
)

// Problem is what a form says about what was typed. The portal translates the code; nothing in it
// depends on whether an address has an account.
type Problem struct {
	Field string        // of the form; empty: the whole form
	Code  string        // one of the constants below
	Wait  time.Duration // with CodeWait: how long before trying again
}

// What can be wrong. Each has a text in both languages in the portal.
const (
	CodeEmailInvalid  = "email_invalid"  // cannot be an address
	CodeEmailSame     = "email_same"     // the new address is the present one
	CodeTooShort      = "too_short"      // password
	CodeTooLong       = "too_long"       // password
	CodeTooCommon     = "too_common"     // password: among those that are tried first
	CodeContainsEmail = "contains_email" // password: repeats the address
	CodeTooSimple     = "too_simple"     // password: guessed quickly
	CodeBadText       = "bad_text"       // password: bytes that are no text
	CodeSignIn        = "sign_in"        // address or password is wrong: which one is not said
	CodePasswordWrong = "password_wrong" // re-authentication: the signed-in person's own password
	CodeCodeWrong     = "code_wrong"     // second factor: wrong, or used already
	// the sign-in that awaited its second factor is too old, or done: start again
	CodePendingOver     = "pending_over"
	CodeWait            = "wait"             // too many failures: Wait is how long
	CodeBusy            = "busy"             // too many people sign in at this moment
	CodeLinkInvalid     = "link_invalid"     // never ours, used, too old, or replaced
	CodeEnrolmentOver   = "enrolment_over"   // the page that offered the second factor is too old: start again
	CodeTOTPOn          = "totp_on"          // the second factor is on already
	CodeTOTPOff         = "totp_off"         // the second factor is off
	CodeIdentityTaken   = "identity_taken"   // another account has this identity
	CodeIdentityEmail   = "identity_email"   // the provider gave no e-mail address
	CodeLastWayIn       = "last_way_in"      // unlinking would leave no way to sign in
	CodeOtherAccount    = "other_account"    // the link is of another account than the one signed in
	CodeOtherSession    = "other_session"    // the link was asked for in another session than the one signed in
	CodeNotYours        = "not_yours"        // re-authentication with an identity of somebody else
	CodeLanguageUnknown = "language_unknown" // neither fr nor en
	CodeConfirmFirst    = "confirm_first"    // another way in needs a confirmed address
	CodeNameLink        = "name_link"        // the name of an organisation has an address in it
	CodeOpenRole        = "open_role"        // an owner or an administrator is invited by address only
	CodeVerifyFirst     = "verify_first"     // this act needs a fresh proof of who one is
	// confirming in another browser than the sign-up's needs a new password
	CodeChoosePassword = "choose_password"
	CodePercentInvalid = "percent_invalid" // not a percentage of 1 to 100
	CodePercentsMany   = "percents_many"   // more than MaxQuotaPercents
	CodeNoticesFull    = "notices_full"    // the list has as many addresses as it takes
	CodeNoticeKnown    = "notice_known"    // the address gets the mails already
	CodeNameInvalid    = "name_invalid"    // an organisation's name is empty, too long or no text
	CodeRoleUnknown    = "role_unknown"    // not one of member.Roles
	CodeLastOwner      = "last_owner"      // the organisation would be without an owner
	CodeMemberKnown    = "member_known"    // the person is a member already
	CodeMembersFull    = "members_full"    // MaxMembers, invitations included
	CodeOtherAddress   = "other_address"   // the invitation is for another address than that of the person
	// CodeOrganisationsFull: the person owns MaxOrganisations, or has created as many today.
	CodeOrganisationsFull = "organisations_full"
	// unknown, of another account, or wrongly signed: which is not said
	CodePasskeyWrong = "passkey_wrong"
	// the request is too old, was answered already, or is of another browser
	CodePasskeyOver    = "passkey_over"
	CodePasskeyCloned  = "passkey_cloned"  // its counter did not rise: there is a copy of it
	CodePasskeyNone    = "passkey_none"    // the account has no passkey
	CodePasskeysFull   = "passkeys_full"   // MaxPasskeys are there already
	CodePasskeysOff    = "passkeys_off"    // browsers have no passkeys for the address of this server
	CodeNoticeRefused  = "notice_refused"  // the address refused, or was removed before it answered
	CodeFactorDate     = "factor_date"     // not a day of the year that begins today
	CodeFactorFirst    = "factor_first"    // the person who requires a second factor has none
	CodeDomainInvalid  = "domain_invalid"  // not a domain that a company can register
	CodeDomainPublic   = "domain_public"   // the domain of a public mail provider
	CodeDomainKnown    = "domain_known"    // the organisation has it already
	CodeDomainsFull    = "domains_full"    // the organisation has as many domains as it may have
	CodeDomainTaken    = "domain_taken"    // another organisation has proven it
	CodeDomainUnproven = "domain_unproven" // the record is not there
	CodeDomainUnknown  = "domain_unknown"  // it could not be looked up
	CodeJoiningUnknown = "joining_unknown" // not one of the ways to join
	CodeAddressPending = "address_pending" // a new address waits for its link to be followed
)

// commandTexts are the English texts of the problems that a command of the operator can have.
var commandTexts = map[string]string{
	CodeTooShort:        lengthText,
	CodeTooLong:         lengthText,
	CodeTooCommon:       "this password is among those that are tried first: choose another",
	CodeContainsEmail:   "this password repeats the e-mail address: choose another",
	CodeTooSimple:       "this password is guessed quickly: make it longer or less regular",
	CodeBadText:         "a password must be text",
	CodeLanguageUnknown: "the language must be fr or en",
}

var lengthText = fmt.Sprintf("a password must have %d to %d characters", password.MinLength,
	password.MaxLength)

// NewProblem makes a Problem.
func NewProblem(field, code string) *Problem {
	return &Problem{Field: field, Code: code}
}

// NewWaitProblem makes a Problem with CodeWait.
func NewWaitProblem(d time.Duration) *Problem {
	p := NewProblem("", CodeWait)
	p.Wait = d
	return p
}

// busyRetry is when to come back, by which time the queue of now is over: see password.NewHasher.
const busyRetry = 10 * time.Second

// mapBusyError makes a problem of password.ErrBusy.
func mapBusyError(err error) error {
	if !errors.Is(err, password.ErrBusy) {
		return err
	}
	p := NewProblem("", CodeBusy)
	p.Wait = busyRetry
	return p
}

// checkNewPassword returns why a password may not be used, as a *Problem, or nil. The weaknesses are codes.
func checkNewPassword(text, email string) error {
	if w := password.Check(text, email); w != password.None {
		return NewProblem("password", string(w))
	}
	return nil
}

// maxShownName is the longest name of an organisation or a passkey, in characters.
const maxShownName = 80

// hangulFillers are letters to Unicode that show nothing.
const hangulFillers = "\u115f\u1160\u3164\uffa0"

// siteAddress matches what readers of mails turn into a link, with or without a scheme.
var siteAddress = regexp.MustCompile(`(?i)://|www\.|[\pL\pN]\.\pL{2}`)

// checkShownName trims the name of an organisation or a passkey, or is a Problem of the field. Mails to
// people who know nothing of the service show it: it has no link, no character that does not show, and
// something that does.
func checkShownName(name string) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	isHidden := func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(hangulFillers, r)
	}
	isShown := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	if utf8.RuneCountInString(name) > maxShownName || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, isHidden) || !strings.ContainsFunc(name, isShown) {
		return "", NewProblem("name", CodeNameInvalid)
	}
	if siteAddress.MatchString(name) {
		return "", NewProblem("name", CodeNameLink)
	}
	return name, nil
}

// newHash checks a new password and hashes it.
func newHash(ctx context.Context, h *password.Hasher, text, email string) (string, error) {
	if err := checkNewPassword(text, email); err != nil {
		return "", err
	}
	hashed, err := h.Hash(ctx, text)
	return hashed, mapBusyError(err)
}

func (p *Problem) Error() string {
	return cmp.Or(commandTexts[p.Code], strings.ReplaceAll(p.Code, "_", " "))
}

// Unwrap makes a problem a fault too, for callers that know no forms.
func (p *Problem) Unwrap() error {
	switch p.Code {
	case CodeWait:
		return &fault.Error{Code: fault.RateLimited, Message: p.Error(), RetryAfter: p.Wait}
	case CodeBusy:
		return &fault.Error{Code: fault.Unavailable, Message: p.Error(), RetryAfter: p.Wait}
	}
	return fault.New(fault.InvalidParameter, p.Error(), nil)
}
