// Package passkey checks what passkeys sign when they are added and used (WebAuthn), and stores them. The
// caller decides what a signature is good for.
package passkey

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"
)

// HandleSize is the length of the random handle by which passkeys name an account.
const HandleSize = 32

// Life is how long a challenge is good for.
const Life = 5 * time.Minute

// RelyingParty checks the passkeys of one server. They are bound to the host of its address.
type RelyingParty struct{ library *webauthn.WebAuthn }

// New returns the relying party of the server at an address, or nil where browsers have no passkeys: those
// are bound to a name, not to a number, and need https but on the computer itself.
func New(baseURL, serviceName string) (*RelyingParty, error) {
	u, err := url.Parse(baseURL)
	if err != nil {
		return nil, fmt.Errorf("read the address of the server: %w", err)
	}
	host := u.Hostname()
	if _, err := netip.ParseAddr(host); err == nil || u.Scheme != "https" && host != "localhost" {
		return nil, nil
	}
	library, err := webauthn.New(&webauthn.Config{RPID: host, RPDisplayName: serviceName,
		RPOrigins:             []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			RequireResidentKey: protocol.ResidentKeyRequired(), ResidentKey: protocol.ResidentKeyRequirementRequired,
			UserVerification: protocol.VerificationRequired},
		Timeouts: webauthn.TimeoutsConfig{Login: webauthn.TimeoutConfig{Timeout: Life, TimeoutUVD: Life},
			Registration: webauthn.TimeoutConfig{Timeout: Life, TimeoutUVD: Life}}})
	if err != nil {
		return nil, fmt.Errorf("prepare passkeys for %s: %w", baseURL, err)
	}
	return &RelyingParty{library}, nil
}

// Credential is a passkey as it is stored.
type Credential struct {
	ID, PublicKey  []byte
	Model          *uuid.UUID // of the authenticator (AAGUID); nil: it does not say
	SignCount      uint32     // of the last signature; authenticators that do not count have 0
	Transports     []string   // how the browser reaches the authenticator
	BackupEligible bool       // it can be copied to other devices of its owner
	BackedUp       bool       // it is
}

// Owner is an account to which passkeys belong.
type Owner struct {
	Handle      []byte
	Name        string // as the authenticator shows it
	Credentials []Credential
}

// WebAuthnID returns the handle. It is for the library, as are the other methods of Owner.
func (o Owner) WebAuthnID() []byte { return o.Handle }

// WebAuthnName returns the name.
func (o Owner) WebAuthnName() string { return o.Name }

// WebAuthnDisplayName returns the name.
func (o Owner) WebAuthnDisplayName() string { return o.Name }

// WebAuthnCredentials returns the passkeys in the library's form.
func (o Owner) WebAuthnCredentials() []webauthn.Credential {
	all := make([]webauthn.Credential, 0, len(o.Credentials))
	for _, c := range o.Credentials {
		flags := webauthn.CredentialFlags{BackupEligible: c.BackupEligible, BackupState: c.BackedUp}
		one := webauthn.Credential{ID: c.ID, PublicKey: c.PublicKey, Flags: flags,
			Authenticator: webauthn.Authenticator{SignCount: c.SignCount}}
		for _, t := range c.Transports {
			one.Transport = append(one.Transport, protocol.AuthenticatorTransport(t))
		}
		all = append(all, one)
	}
	return all
}

// Request is what a browser asks an authenticator for.
type Request struct {
	Options   json.RawMessage // for navigator.credentials, in its JSON form
	Challenge string
}

// ErrRefused is the error for an answer that is not a valid signature for its request. It wraps the cause.
var ErrRefused = errors.New("the passkey was refused")

func wrapRejection(cause error) error {
	if detailed, ok := errors.AsType[*protocol.Error](cause); ok && detailed.DevInfo != "" {
		cause = fmt.Errorf("%w (%s)", cause, detailed.DevInfo)
	}
	return fmt.Errorf("%w: %w", ErrRefused, cause)
}

// BeginAdding asks for a new passkey of an account. Authenticators that have one of it already decline.
func (r *RelyingParty) BeginAdding(o Owner) (Request, error) {
	known := webauthn.Credentials(o.WebAuthnCredentials()).CredentialDescriptors()
	creation, session, err := r.library.BeginRegistration(o, webauthn.WithExclusions(known))
	if err != nil {
		return Request{}, fmt.Errorf("ask for a new passkey: %w", err)
	}
	return newRequest(creation.Response, session)
}

// FinishAdding checks the answer to BeginAdding. One that is not valid is ErrRefused.
func (r *RelyingParty) FinishAdding(o Owner, challenge string, answer []byte) (Credential, error) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return Credential{}, wrapRejection(err)
	}
	made, err := r.library.CreateCredential(o, webauthn.SessionData{Challenge: challenge, UserID: o.Handle,
		UserVerification: protocol.VerificationRequired, CredParams: webauthn.CredentialParametersDefault()}, parsed)
	if err != nil {
		return Credential{}, wrapRejection(err)
	}
	c := Credential{ID: made.ID, PublicKey: made.PublicKey, SignCount: made.Authenticator.SignCount,
		BackupEligible: made.Flags.BackupEligible, BackedUp: made.Flags.BackupState}
	if model, err := uuid.FromBytes(made.Authenticator.AAGUID); err == nil && model != uuid.Nil {
		c.Model = &model
	}
	for _, t := range made.Transport {
		if len(c.Transports) < maxTransports && len(t) <= maxTransport {
			c.Transports = append(c.Transports, string(t))
		}
	}
	return c, nil
}

// A browser names how it reaches the authenticator; the standard knows six ways.
const (
	maxTransports = 8
	maxTransport  = 20
)

// BeginUse asks for a signature of one of the passkeys, or of any that the authenticator has for this server
// when there are none. With verified, the authenticator makes sure that its owner is there (PIN,
// fingerprint).
func (r *RelyingParty) BeginUse(o Owner, verified bool) (Request, error) {
	verification := webauthn.WithUserVerification(verificationOf(verified))
	begin := func() (*protocol.CredentialAssertion, *webauthn.SessionData, error) {
		if len(o.Credentials) == 0 {
			return r.library.BeginDiscoverableLogin(verification)
		}
		return r.library.BeginLogin(o, verification)
	}
	assertion, session, err := begin()
	if err != nil {
		return Request{}, fmt.Errorf("ask for a passkey: %w", err)
	}
	return newRequest(assertion.Response, session)
}

func verificationOf(verified bool) protocol.UserVerificationRequirement {
	if verified {
		return protocol.VerificationRequired
	}
	return protocol.VerificationPreferred
}

func newRequest(options any, session *webauthn.SessionData) (Request, error) {
	text, err := json.Marshal(options)
	if err != nil {
		return Request{}, fmt.Errorf("write the options of a passkey: %w", err)
	}
	return Request{Options: text, Challenge: session.Challenge}, nil
}

// Use is an answer to BeginUse that is not checked yet.
type Use struct {
	ID     []byte // of the passkey
	Handle []byte // of the account, as the passkey says; empty: it does not
	parsed *protocol.ParsedCredentialAssertionData
}

// ReadUse reads an answer to BeginUse. One that is not of that form is ErrRefused.
func ReadUse(answer []byte) (Use, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return Use{}, wrapRejection(err)
	}
	return Use{ID: parsed.RawID, Handle: parsed.Response.UserHandle, parsed: parsed}, nil
}

// Outcome is what a valid signature says.
type Outcome struct {
	SignCount uint32
	BackedUp  bool
	// Cloned reports that the counter did not rise: another copy of the passkey has signed since.
	Cloned bool
}

// CheckUse checks an answer against the passkey of its account. One that is not valid is ErrRefused.
func (r *RelyingParty) CheckUse(o Owner, challenge string, verified bool, u Use) (Outcome, error) {
	checked, err := r.library.ValidateLogin(o, webauthn.SessionData{Challenge: challenge, UserID: o.Handle,
		UserVerification: verificationOf(verified)}, u.parsed)
	if err != nil {
		return Outcome{}, wrapRejection(err)
	}
	return Outcome{SignCount: checked.Authenticator.SignCount, BackedUp: checked.Flags.BackupState,
		Cloned: checked.Authenticator.CloneWarning}, nil
}
