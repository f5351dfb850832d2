package auth

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// Device names a browser by what it calls itself, such as "Firefox, Linux", for people to recognise. Empty: unknown.
func Device(agent string) string {
	browser, system := firstIn(agent, browsers), firstIn(agent, systems)
	switch {
	case browser == "":
		return system
	case system == "":
		return browser
	}
	return browser + ", " + system
}

// named is how something is told in the text of a browser, and its name. Most claim to be Chrome or Safari as well:
// the order matters.
type named struct{ mark, name string }

var (
	browsers = []named{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Firefox/", "Firefox"},
		{"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"}}
	systems = []named{{"Windows", "Windows"}, {"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"},
		{"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}}
)

func firstIn(agent string, of []named) string {
	for _, n := range of {
		if strings.Contains(agent, n.mark) {
			return n.name
		}
	}
	return ""
}

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

// knowsDevice tells whether the cookie was made here for that account.
func (s *Service) knowsDevice(cookie string, h *holder) bool {
	b, err := decode(cookie)
	if err != nil || len(b) != 8+deviceRandom+macSize {
		return false
	}
	body := b[:8+deviceRandom]
	return macHolds(s.trusted, deviceKey, b[len(body):], string(body), deviceOwner(h)) && binary.BigEndian.Uint64(body) == uint64(h.id)
}
