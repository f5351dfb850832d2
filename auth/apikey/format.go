// Package apikey makes, stores, finds and revokes the keys that identify an integration. It promises that a
// key is shown once and stored as a hash, that a wrong one costs no query, and that a revoked one is
// rejected within a second by every instance.
package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"unsafe"
)

// A key is mark + 32 random characters (190 bits) + checksum. By the checksum a leak scanner distinguishes a
// real key from a lookalike, and we reject a malformed one without looking it up.
const (
	Mark         = "arp_" // begins every key
	randomLength = 32
	sumLength    = 6
	prefixLength = 8 // characters of a key that are stored

	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// New draws a key and its hash. Only the hash is to be kept.
func New() (secret string, hash [32]byte) { return Draw(Mark) }

// Draw makes a secret of the same form that begins otherwise, and its hash. Only the hash is to be kept.
func Draw(mark string) (secret string, hash [32]byte) {
	bodyLength := len(mark) + randomLength
	key := make([]byte, 0, bodyLength+sumLength)
	key = append(key, mark...)
	var draw [64]byte
	for len(key) < bodyLength {
		// crypto/rand.Read never fails: it ends the program when the system has no randomness.
		_, _ = rand.Read(draw[:])
		for _, b := range draw {
			// 248 is the largest multiple of 62 in a byte: above it the first letters would come up more
			// often.
			if b < 248 && len(key) < bodyLength {
				key = append(key, base62[b%62])
			}
		}
	}
	sum := computeChecksum(string(key))
	key = append(key, sum[:]...)
	return string(key), sha256.Sum256(key)
}

// Parse checks the form of what a caller presents, and hashes it when it can be a key. It keeps
// nothing of presented and allocates nothing.
func Parse(presented string) (hash [32]byte, ok bool) { return Check(Mark, presented) }

// Check is Parse for what was drawn with another beginning.
func Check(mark, presented string) (hash [32]byte, ok bool) {
	bodyLength := len(mark) + randomLength
	if len(presented) != bodyLength+sumLength || presented[:len(mark)] != mark {
		return hash, false
	}
	if sum := computeChecksum(presented[:bodyLength]); presented[bodyLength:] != string(sum[:]) {
		return hash, false
	}
	return sha256.Sum256(unsafeBytes(presented)), true
}

// unsafeBytes reads a string as bytes without a copy. The bytes are only read.
func unsafeBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

func computeChecksum(body string) [sumLength]byte {
	crc := crc32.ChecksumIEEE(unsafeBytes(body))
	var sum [sumLength]byte
	for i := sumLength - 1; i >= 0; i-- {
		sum[i] = base62[crc%62]
		crc /= 62
	}
	return sum
}
