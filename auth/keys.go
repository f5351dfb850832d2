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

// DeriveKey makes the key for one purpose from the server's secret, so that what is made for one is worth nothing
// for another.
func DeriveKey(secret []byte, purpose string) []byte { return mac(secret, "arpent "+purpose) }

// keys are those that this package uses, one for each purpose.
type keys struct {
	throttle             []byte
	link, device         signer
	totp, pending, enrol Sealer
}

func deriveKeys(secret []byte, former ...[]byte) keys {
	of := func(purpose string) (all [][]byte) {
		for _, s := range slices.Concat([][]byte{secret}, former) {
			all = append(all, DeriveKey(s, purpose))
		}
		return all
	}
	return keys{throttle: DeriveKey(secret, "throttle"), link: of("link"), device: of("device"),
		totp: NewSealer(of("totp")...), pending: NewSealer(of("pending")...), enrol: NewSealer(of("enrol")...)}
}

func mac(key []byte, parts ...string) []byte {
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

// token is 256 random bits as text, for a cookie.
func token() string { return encode(random(32)) }

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// decode is strict: every token has one spelling.
func decode(s string) ([]byte, error) { return base64.RawURLEncoding.Strict().DecodeString(s) }

func hash(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}

// signer signs with the first of its keys. Signatures of the others, which are of former secrets, are still good.
type signer [][]byte

const macSize = 24 // 192 bits of an HMAC

func (s signer) sign(parts ...string) []byte { return mac(s[0], parts...)[:macSize] }

func (s signer) verify(sum []byte, parts ...string) bool {
	return slices.ContainsFunc(s, func(key []byte) bool { return hmac.Equal(sum, mac(key, parts...)[:macSize]) })
}

// Sealer encrypts with the first of its keys, and opens what any of them has sealed: the others are of former secrets.
// What is sealed names whose it is (about), so that a value moved elsewhere does not open.
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

func (s Sealer) seal(plain []byte, about string) []byte {
	return s[0].Seal(nil, nil, plain, []byte(about))
}

// open also reports whether the present key has sealed it.
func (s Sealer) open(sealed []byte, about string) (plain []byte, present bool, err error) {
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
	return encode(s.seal(plain.Bytes(), about)), nil
}

// Open opens what Seal has sealed.
func (s Sealer) Open(sealed, about string, v any) error {
	b, err := decode(sealed)
	if err != nil {
		return errSeal
	}
	plain, _, err := s.open(b, about)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, v)
}

const deviceRandom = 16

// newDevice makes the cookie by which a browser is known in which somebody has signed in to that account.
func (s *Service) newDevice(h *holder) string {
	b := append(binary.BigEndian.AppendUint64(nil, uint64(h.id)), random(deviceRandom)...)
	return encode(append(b, s.keys.device.sign(string(b), deviceOwner(h))...))
}

// deviceOwner distinguishes an account from another that gets its number after a restore from a backup.
func deviceOwner(h *holder) string { return strconv.FormatInt(h.createdAt.UnixMicro(), 10) }

// knowsDevice reports whether the cookie was made here for that account.
func (s *Service) knowsDevice(cookie string, h *holder) bool {
	b, err := decode(cookie)
	if err != nil || len(b) != 8+deviceRandom+macSize {
		return false
	}
	body := b[:8+deviceRandom]
	return s.keys.device.verify(b[len(body):], string(body), deviceOwner(h)) && binary.BigEndian.Uint64(body) == uint64(h.id)
}
