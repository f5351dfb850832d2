package auth

import (
	"encoding/binary"
	"strconv"
)

const (
	deviceRandom = 16
	macSize      = 24 // 192 bits of an HMAC
)

// newDevice makes the cookie that tells a browser in which somebody has signed in to that account.
func (s *Service) newDevice(h *holder) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(h.id))
	b = append(b, random(deviceRandom)...)
	return encode(append(b, mac(s.keys.device, string(b), deviceOwner(h))[:macSize]...))
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
	return macHolds(s.trusted, deviceKey, b[len(body):], string(body), deviceOwner(h)) && binary.BigEndian.Uint64(body) == uint64(h.id)
}
