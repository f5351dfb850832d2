package testkit

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
)

// Passkey is an authenticator with one passkey, together with the browser that asks it. A test changes its
// fields to have it sign what a browser would not let it sign.
type Passkey struct {
	Origin, Host string // of the page, and the host that the passkey is bound to
	Handle       []byte // of the account, set by Create
	Count        uint32 // of its signatures; it rises with each when Counts
	Counts       bool
	Verified     bool // it made sure that its owner is there
	Backup       bool // it can be copied, and is

	t   testing.TB
	id  []byte
	key *ecdsa.PrivateKey
}

// NewPasskey returns an authenticator for the pages of an origin, whose owner is there.
func NewPasskey(t testing.TB, origin, host string) *Passkey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	NoError(t, err)
	p := &Passkey{Origin: origin, Host: host, Counts: true, Verified: true, t: t, id: make([]byte, 32), key: key}
	_, _ = rand.Read(p.id)
	return p
}

// Flags of the authenticator's data (WebAuthn, section 6.1).
const (
	flagPresent  = 1 << 0
	flagVerified = 1 << 2
	flagCanCopy  = 1 << 3
	flagIsCopied = 1 << 4
	flagHasKey   = 1 << 6
)

// options is what is read of the options of a request.
type options struct {
	Challenge string `json:"challenge"`
	User      struct {
		ID string `json:"id"`
	} `json:"user"`
}

func (p *Passkey) readOptions(text json.RawMessage) (o options) {
	p.t.Helper()
	if err := json.Unmarshal(text, &o); err != nil {
		p.t.Fatalf("options of a passkey: %v\n%s", err, text)
	}
	return o
}

// signedData is the authenticator's data, and the client's.
func (p *Passkey) signedData(ceremony, challenge string, flags byte) (authenticator, client []byte) {
	p.t.Helper()
	client, err := json.Marshal(map[string]any{"type": ceremony, "challenge": challenge, "origin": p.Origin, "crossOrigin": false})
	NoError(p.t, err)
	flags |= flagPresent
	if p.Verified {
		flags |= flagVerified
	}
	if p.Backup {
		flags |= flagCanCopy | flagIsCopied
	}
	if p.Counts {
		p.Count++
	}
	host := sha256.Sum256([]byte(p.Host))
	return binary.BigEndian.AppendUint32(append(host[:], flags), p.Count), client
}

func (p *Passkey) writeAnswer(response map[string]any) string {
	p.t.Helper()
	text, err := json.Marshal(map[string]any{"id": encodeBase64(p.id), "rawId": encodeBase64(p.id), "type": "public-key",
		"authenticatorAttachment": "platform", "clientExtensionResults": map[string]any{}, "response": response})
	NoError(p.t, err)
	return string(text)
}

func encodeBase64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Create answers a request for a new passkey.
func (p *Passkey) Create(request json.RawMessage) string {
	p.t.Helper()
	o := p.readOptions(request)
	handle, err := base64.RawURLEncoding.DecodeString(o.User.ID)
	NoError(p.t, err)
	p.Handle = handle
	point, err := p.key.PublicKey.Bytes() // 4, x, y
	NoError(p.t, err)
	// COSE: P-256, ES256
	key, err := webauthncbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]})
	NoError(p.t, err)
	authenticator, client := p.signedData("webauthn.create", o.Challenge, flagHasKey)
	authenticator = append(authenticator, make([]byte, 16)...) // no model
	authenticator = binary.BigEndian.AppendUint16(authenticator, uint16(len(p.id)))
	authenticator = append(append(authenticator, p.id...), key...)
	object, err := webauthncbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": authenticator})
	NoError(p.t, err)
	return p.writeAnswer(map[string]any{"clientDataJSON": encodeBase64(client), "attestationObject": encodeBase64(object),
		"transports": []string{"internal"}})
}

// Sign answers a request for the passkey.
func (p *Passkey) Sign(request json.RawMessage) string {
	p.t.Helper()
	authenticator, client := p.signedData("webauthn.get", p.readOptions(request).Challenge, 0)
	hash := sha256.Sum256(client)
	sum := sha256.Sum256(append(append([]byte{}, authenticator...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, p.key, sum[:])
	NoError(p.t, err)
	return p.writeAnswer(map[string]any{"clientDataJSON": encodeBase64(client), "authenticatorData": encodeBase64(authenticator),
		"signature": encodeBase64(signature), "userHandle": encodeBase64(p.Handle)})
}

// Copy returns another authenticator with the same passkey.
func (p *Passkey) Copy() *Passkey {
	c := *p
	return &c
}
