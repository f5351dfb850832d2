package auth

import (
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
)

// DeriveKey makes the key for one purpose from the server's secret, so that what is made for one is worth nothing
// for another.
func DeriveKey(secret []byte, purpose string) []byte { return mac(secret, "arpent "+purpose) }

// keys are those that this package uses.
type keys struct {
	link, device, throttle []byte
	totp, pending, enrol   cipher.AEAD
}

func deriveKeys(secret []byte) keys {
	return keys{
		link: DeriveKey(secret, "link"), device: DeriveKey(secret, "device"), throttle: DeriveKey(secret, "throttle"),
		totp: aead(DeriveKey(secret, "totp")), pending: aead(DeriveKey(secret, "pending")), enrol: aead(DeriveKey(secret, "enrol")),
	}
}

func totpKey(k keys) cipher.AEAD    { return k.totp }
func pendingKey(k keys) cipher.AEAD { return k.pending }
func enrolKey(k keys) cipher.AEAD   { return k.enrol }
func linkKey(k keys) []byte         { return k.link }
func deviceKey(k keys) []byte       { return k.device }

func aead(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the key is always 32 bytes long
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return gcm
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

// seal encrypts; about says whose it is, so that a sealed value moved elsewhere does not open.
func seal(key cipher.AEAD, plain []byte, about string) []byte {
	nonce := random(key.NonceSize())
	return key.Seal(nonce, nonce, plain, []byte(about))
}

var errSeal = errors.New("this was not sealed here")

func open(key cipher.AEAD, sealed []byte, about string) ([]byte, error) {
	if len(sealed) < key.NonceSize() {
		return nil, errSeal
	}
	plain, err := key.Open(nil, sealed[:key.NonceSize()], sealed[key.NonceSize():], []byte(about))
	if err != nil {
		return nil, errSeal
	}
	return plain, nil
}

// openAny is open with whichever key has sealed it. of picks from the keys of each secret.
func openAny(trusted []keys, of func(keys) cipher.AEAD, sealed []byte, about string) ([]byte, error) {
	for _, k := range trusted {
		if plain, err := open(of(k), sealed, about); err == nil {
			return plain, nil
		}
	}
	return nil, errSeal
}

// macHolds reports whether one of the keys made that sum, of macSize bytes, of the parts.
func macHolds(trusted []keys, of func(keys) []byte, sum []byte, parts ...string) bool {
	return slices.ContainsFunc(trusted, func(k keys) bool { return hmac.Equal(sum, mac(of(k), parts...)[:macSize]) })
}

// sealValue is seal for a value that a browser carries to us.
func sealValue(key cipher.AEAD, v any, about string) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return encode(seal(key, plain, about)), nil
}

func openValue(trusted []keys, of func(keys) cipher.AEAD, sealed, about string, v any) error {
	b, err := decode(sealed)
	if err != nil {
		return errSeal
	}
	plain, err := openAny(trusted, of, b, about)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, v)
}
