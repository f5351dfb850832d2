package auth

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
)

// DeriveKey makes the key for one purpose from the server's secret, so that what is
// made for one is worth nothing for another.
func DeriveKey(secret []byte, purpose string) []byte { return computeMAC(secret, "arpent "+purpose) }

// derivedKeys are those that this package uses, one for each purpose.
type derivedKeys struct {
	throttle             []byte
	link, device         signer
	totp, pending, enrol Sealer
}

func deriveKeys(secret []byte, former ...[]byte) derivedKeys {
	of := func(purpose string) (all [][]byte) {
		for _, s := range slices.Concat([][]byte{secret}, former) {
			all = append(all, DeriveKey(s, purpose))
		}
		return all
	}
	return derivedKeys{throttle: DeriveKey(secret, "throttle"), link: of("link"), device: of("device"),
		totp: NewSealer(of("totp")...), pending: NewSealer(of("pending")...), enrol: NewSealer(of("enrol")...)}
}

func computeMAC(key []byte, parts ...string) []byte {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		// With its length, so that no two lists of parts read the same.
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write([]byte(p))
	}
	return h.Sum(nil)
}

// newToken is 256 random bits as text, for a cookie.
func newToken() string { return encodeBase64(randomBytes(32)) }

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

func encodeBase64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// decodeBase64 is strict: every token has one spelling.
func decodeBase64(s string) ([]byte, error) { return base64.RawURLEncoding.Strict().DecodeString(s) }

func hashSHA256(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}

// signer signs with the first of its keys. Signatures of the others,
// which are of former secrets, are still good.
type signer [][]byte

const macSize = 24 // 192 bits of an HMAC

func (s signer) computeSignature(parts ...string) []byte { return computeMAC(s[0], parts...)[:macSize] }

func (s signer) verify(sum []byte, parts ...string) bool {
	return slices.ContainsFunc(s, func(key []byte) bool {
		return hmac.Equal(sum, computeMAC(key, parts...)[:macSize])
	})
}

// Sealer encrypts with the first of its keys, and opens what any of them has sealed: the others are of former
// secrets. What is sealed names whose it is (about), so that a value moved elsewhere does not open.
type Sealer []cipher.AEAD

// NewSealer makes a sealer of keys of 32 bytes.
func NewSealer(keys ...[]byte) (s Sealer) {
	for _, key := range keys {
		block, err := aes.NewCipher(key)
		if err != nil {
			panic(err) // the key has another length
		}
		gcm, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			panic(err)
		}
		s = append(s, gcm)
	}
	return s
}

var errSeal = errors.New("this was not sealed here")

func (s Sealer) sealBytes(plain []byte, about string) []byte {
	return s[0].Seal(nil, nil, plain, []byte(about))
}

// openBytes also reports whether the present key has sealed it.
func (s Sealer) openBytes(sealed []byte, about string) (plain []byte, present bool, err error) {
	for i, key := range s {
		if plain, err := key.Open(nil, nil, sealed, []byte(about)); err == nil {
			return plain, i == 0, nil
		}
	}
	return nil, false, errSeal
}

// Seal seals a value that a browser carries to us.
func (s Sealer) Seal(v any, about string) (string, error) {
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false) // an & would be six bytes, and cookies are short
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return encodeBase64(s.sealBytes(plain.Bytes(), about)), nil
}

// Open opens what Seal has sealed.
func (s Sealer) Open(sealed, about string, v any) error {
	b, err := decodeBase64(sealed)
	if err != nil {
		return errSeal
	}
	plain, _, err := s.openBytes(b, about)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, v)
}

const deviceRandom = 16

// newDeviceCookie makes the cookie by which a browser is known in
// which somebody has signed in to that account.
func (s *Service) newDeviceCookie(h *holder) string {
	b := append(binary.BigEndian.AppendUint64(nil, uint64(h.id)), randomBytes(deviceRandom)...)
	return encodeBase64(append(b, s.keys.device.computeSignature(string(b), accountFingerprint(h))...))
}

// accountFingerprint distinguishes an account from another that gets
// its number after a restore from a backup.
func accountFingerprint(h *holder) string { return strconv.FormatInt(h.createdAt.UnixMicro(), 10) }

// isKnownDevice reports whether the cookie was made here for that account.
func (s *Service) isKnownDevice(cookie string, h *holder) bool {
	b, err := decodeBase64(cookie)
	if err != nil || len(b) != 8+deviceRandom+macSize {
		return false
	}
	body := b[:8+deviceRandom]
	return s.keys.device.verify(b[len(body):], string(body), accountFingerprint(h)) &&
		binary.BigEndian.Uint64(body) == uint64(h.id)
}
