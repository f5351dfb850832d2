package clientip_test

import (
	"net/netip"
	"strings"
	"testing"

	"arpent/internal/clientip"
)

// Whatever way an address is written in, it is known whether it is one of the public Internet.
func TestIsPublic(t *testing.T) {
	t.Parallel()
	for want, list := range map[bool]string{
		true: "8.8.8.8 1.1.1.1 93.184.216.34 172.15.255.255 172.32.0.0 100.63.255.255 100.128.0.0 192.0.1.1 198.17.255.255 198.20.0.0 " +
			"223.255.255.255 168.63.129.15 2606:4700::1111 2a00:1450:4007::1 2001:4860:4860::8888 ::ffff:8.8.8.8",
		false: "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 169.254.169.254 169.254.0.1 " +
			"172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 " +
			"224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16 :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 " +
			"::ffff:169.254.169.254 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1 100::1 fc00::1 fd00:ec2::254 fd12:3456::1 " +
			"fe80::1 fe80::1%eth0 fec0::1 ff02::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::1 " +
			"2002:0a00:0001::1 3fff::1 4000::1 5f00::1 2606:4700::1111%x",
	} {
		for text := range strings.FieldsSeq(list) {
			if got := clientip.IsPublic(netip.MustParseAddr(text)); got != want {
				t.Errorf("%s: %v", text, got)
			}
		}
	}
	if clientip.IsPublic(netip.Addr{}) {
		t.Error("no address is public")
	}
}
