// Package apikey makes, stores, finds and revokes the keys that identify an integration. It promises that a key is
// shown once and stored as a hash, that a wrong one costs no query, and that a revoked one is refused within a
// second by every instance.
package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
)

// A key is mark + 32 random characters (190 bits) + checksum. The checksum lets a leak scanner tell a real key from
// a lookalike, and lets us refuse a malformed one without looking it up.
const (
	mark         = "arp_"
	randomLength = 32
	sumLength    = 6
	bodyLength   = len(mark) + randomLength
	length       = bodyLength + sumLength

	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// New draws a key and its hash. Only the hash is to be kept.
func New() (secret string, hash [32]byte) {
	key := make([]byte, 0, length)
	key = append(key, mark...)
	var draw [64]byte
	for len(key) < bodyLength {
		// crypto/rand.Read never fails: it ends the program when the system has no randomness.
		_, _ = rand.Read(draw[:])
		for _, b := range draw {
			// 248 is the largest multiple of 62 in a byte: above it the first letters would come up more often.
			if b < 248 && len(key) < bodyLength {
				key = append(key, base62[b%62])
			}
		}
	}
	sum := checksum(string(key))
	key = append(key, sum[:]...)
	return string(key), sha256.Sum256(key)
}

// Parse checks the form of what a caller presents, and hashes it when it can be a key. It keeps nothing of presented
// and allocates nothing.
func Parse(presented string) (hash [32]byte, ok bool) {
	if len(presented) != length || presented[:len(mark)] != mark {
		return hash, false
	}
	if sum := checksum(presented[:bodyLength]); presented[bodyLength:] != string(sum[:]) {
		return hash, false
	}
	var key [length]byte
	copy(key[:], presented)
	return sha256.Sum256(key[:]), true
}

// checksum runs over the string itself: crc32.ChecksumIEEE takes a slice and makes it escape to the heap.
func checksum(body string) [sumLength]byte {
	crc := ^uint32(0)
	for i := range len(body) {
		crc = crc32.IEEETable[byte(crc)^body[i]] ^ crc>>8
	}
	crc = ^crc
	var sum [sumLength]byte
	for i := sumLength - 1; i >= 0; i-- {
		sum[i] = base62[crc%62]
		crc /= 62
	}
	return sum
}
