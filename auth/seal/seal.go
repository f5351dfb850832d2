// Package seal signs and encrypts what the service hands out and reads back: links, cookies, stored secrets.
// Every purpose has a key of its own, and what a former secret of the server has made is still read.
package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
)

// DeriveKey makes the key for one purpose from the server's secret, so that what is
// made for one is worth nothing for another.
func DeriveKey(secret []byte, purpose string) []byte { return ComputeMAC(secret, "arpent "+purpose) }

// ComputeMAC computes the HMAC of a list of parts.
func ComputeMAC(key []byte, parts ...string) []byte {
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

// Encode writes bytes as text for cookies and addresses.
func Encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Decode reads what Encode has written. It is strict: every token has one spelling.
func Decode(s string) ([]byte, error) { return base64.RawURLEncoding.Strict().DecodeString(s) }

// Signer signs with the first of its keys. Signatures of the others,
// which are of former secrets, are still good.
type Signer [][]byte

// MACSize is the length of a signature: 192 bits of an HMAC.
const MACSize = 24

// Sign computes the signature of a list of parts.
func (s Signer) Sign(parts ...string) []byte { return ComputeMAC(s[0], parts...)[:MACSize] }

// Verify reports whether any of the keys has made the signature.
func (s Signer) Verify(sum []byte, parts ...string) bool {
	return slices.ContainsFunc(s, func(key []byte) bool {
		return hmac.Equal(sum, ComputeMAC(key, parts...)[:MACSize])
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

// SealBytes seals a value that is stored.
func (s Sealer) SealBytes(plain []byte, about string) []byte {
	return s[0].Seal(nil, nil, plain, []byte(about))
}

// OpenBytes opens what SealBytes has sealed. It also reports whether the present key has sealed it.
func (s Sealer) OpenBytes(sealed []byte, about string) (plain []byte, present bool, err error) {
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
	return Encode(s.SealBytes(plain.Bytes(), about)), nil
}

// Open opens what Seal has sealed.
func (s Sealer) Open(sealed, about string, v any) error {
	b, err := Decode(sealed)
	if err != nil {
		return errSeal
	}
	plain, _, err := s.OpenBytes(b, about)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, v)
}
