//go:build soak

package attack_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// framings are requests whose end two servers may see at different places. The word PATH stands for an
// address of its own, and each carries a second request inside what may be a body.
func framings() (out []string) {
	const hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"
	chunked := "0\r\n\r\n" + hidden
	one := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(hidden), hidden)
	length := func(n int) string { return fmt.Sprintf("Content-Length: %d\r\n", n) }
	encodings := []string{
		"Transfer-Encoding: chunked\r\n", "Transfer-Encoding : chunked\r\n", "Transfer-Encoding:\tchunked\r\n", "Transfer-Encoding: xchunked\r\n",
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n", "Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked, identity\r\n",
		"Transfer-Encoding: identity\r\n", "Transfer-Encoding:\r\n chunked\r\n", " Transfer-Encoding: chunked\r\n", "X: y\r\n Transfer-Encoding: chunked\r\n",
		"Transfer-Encoding: CHUNKED\r\n", "Transfer-Encoding: \"chunked\"\r\n", "Transfer-Encoding: chunked;x=y\r\n", "Transfer_Encoding: chunked\r\n",
		"Transfer-Encoding: \x0bchunked\r\n", "X: y\nTransfer-Encoding: chunked\r\n", "X: y\rTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\n", "Transfer-Encoding\x00: chunked\r\n",
		"transfer-encoding: chunked\r\nConnection: Transfer-Encoding\r\n",
	}
	for _, encoding := range encodings {
		for _, rest := range []string{length(len(chunked)) + "\r\n" + chunked, "\r\n" + chunked, length(len(one)) + "\r\n" + one, length(5) + "\r\n" + chunked} {
			out = append(out, "POST PATH HTTP/1.1\r\nHost: x\r\n"+encoding+rest)
		}
	}
	for _, lengths := range []string{
		length(0) + length(len(hidden)), length(len(hidden)) + length(0), "Content-Length: 0, 33\r\n", "Content-Length: +33\r\n", "Content-Length: 0x21\r\n", "Content-Length : 33\r\n",
		"Content-Length: 33 \r\n", "Content-Length:\r\n 33\r\n", "Content-Length: -1\r\n", "Content-Length: 3 3\r\n", "Content-Length: 033\r\n", "Content-Length: 18446744073709551616\r\n",
		"Content_Length: 35\r\n", "X: y\nContent-Length: 33\r\n", "Content-Length: 33\r\nConnection: Content-Length\r\n", length(len(hidden)) + length(len(hidden)), "Content-Length:\x0b33\r\n", "Content-Length: \r\n", "",
	} {
		for _, method := range []string{"POST", "GET"} {
			out = append(out, method+" PATH HTTP/1.1\r\nHost: x\r\n"+lengths+"\r\n"+hidden)
		}
	}
	for _, body := range []string{
		"0;x=y\r\n\r\n" + hidden, "0\n\n" + hidden, "0\r\nX: y\r\n\r\n" + hidden, "0x0\r\n\r\n" + hidden, "00000000000000000000\r\n\r\n" + hidden, "+0\r\n\r\n" + hidden, " 0\r\n\r\n" + hidden,
		"0 \r\n\r\n" + hidden, "1;\n\r\na\r\n0\r\n\r\n" + hidden, "1\r\nab\r\n0\r\n\r\n" + hidden, "10000000000000000\r\n\r\n" + hidden, "-1\r\n\r\n" + hidden, "1\na\n0\n\n" + hidden, "2\r\na\r\n0\r\n\r\n" + hidden,
	} {
		out = append(out, "POST PATH HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"+body)
	}
	return out
}

// recorder stands between a proxy and us: it counts the answers that we give on a connection of the proxy.
type recorder struct {
	mu       sync.Mutex
	answered int
}

func (r *recorder) listen(t *testing.T, to string) (address string) {
	t.Helper()
	l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go r.relay(c, to)
		}
	}()
	return l.Addr().String()
}

func (r *recorder) relay(c net.Conn, to string) {
	defer c.Close()
	s, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer s.Close()
	go func() { _, _ = io.Copy(s, c); _ = s.(*net.TCPConn).CloseWrite() }()
	_, _ = io.Copy(c, io.TeeReader(s, r))
}

// Write counts the status lines in what we answer; none of our pages has such a line in its text.
func (r *recorder) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answered += bytes.Count(b, []byte("HTTP/1.1 "))
	return len(b), nil
}

func (r *recorder) take() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.answered
	r.answered = 0
	return n
}

// startProxy runs a proxy from a file of configuration, and waits for its port.
func startProxy(t *testing.T, program, arguments, configuration, port string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed (apt-get install haproxy nginx-light)", program)
	}
	file := t.TempDir() + "/conf"
	testkit.NoError(t, os.WriteFile(file, []byte(configuration), 0o600))
	cmd := exec.Command(path, append(strings.Fields(arguments), file)...)
	cmd.Stderr = os.Stderr
	testkit.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	testkit.Eventually(t, testkit.Timeout, program+" listens", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// Whatever the framing, we see as many requests as the proxy before us has sent: what it took for a body is
// never a request to us. The proxies log every request that they sent on, which is what they believe.
func TestSoakSmuggling(t *testing.T) {
	s := fixture.Start(t)
	for name, start := range map[string]func(t *testing.T, backend, port, log string){
		"haproxy": func(t *testing.T, backend, port, log string) {
			startProxy(t, "haproxy", "-db -f", "global\n log "+log+" format raw local0\ndefaults\n mode http\n timeout connect 5s\n timeout client 2s\n timeout server 2s\n option accept-invalid-http-request\n"+
				"frontend f\n bind 127.0.0.1:"+port+"\n log global\n log-format \"%s %ST\"\n default_backend b\nbackend b\n http-reuse always\n server up "+backend+"\n", port)
		},
		"nginx": func(t *testing.T, backend, port, log string) {
			dir := t.TempDir()
			startProxy(t, "nginx", "-p "+dir+" -c", "daemon off; master_process off; pid "+dir+"/pid; error_log "+dir+"/error; events {}\nhttp { log_format up 'up=$upstream_status'; access_log syslog:server="+log+" up;\n"+
				"client_body_temp_path "+dir+"/1; proxy_temp_path "+dir+"/2; fastcgi_temp_path "+dir+"/3; uwsgi_temp_path "+dir+"/4; scgi_temp_path "+dir+"/5; client_body_timeout 2s; client_header_timeout 2s; proxy_read_timeout 2s;\n"+
				"upstream b { server "+backend+"; keepalive 8; }\nserver { listen 127.0.0.1:"+port+"; location / { proxy_http_version 1.1; proxy_set_header Connection ''; proxy_request_buffering off; proxy_pass http://b; } } }\n", port)
		},
	} {
		t.Run(name, func(t *testing.T) {
			udp := testkit.Must(net.ListenPacket("udp", "127.0.0.1:0"))(t)
			defer udp.Close()
			var r recorder
			port := fmt.Sprint(testkit.FreePort(t))
			start(t, r.listen(t, strings.TrimPrefix(s.Base, "http://")), port, udp.LocalAddr().String())
			differ, passed := 0, 0
			for i, text := range framings() {
				r.take()
				conn := testkit.Must(net.Dial("tcp", "127.0.0.1:"+port))(t)
				_, _ = io.WriteString(conn, strings.ReplaceAll(text, "PATH", fmt.Sprintf("/framing/%d", i)))
				_ = conn.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
				_, _ = io.Copy(io.Discard, conn)
				conn.Close()
				sent := sentByProxy(udp)
				got := r.take()
				passed += got
				if got > sent {
					differ++
					t.Errorf("%s sent %d, we answered %d: %q", name, sent, got, text)
				}
			}
			t.Logf("%s: %d framings, %d requests passed, %d read otherwise", name, len(framings()), passed, differ)
			if passed == 0 {
				t.Error("no request came through")
			}
		})
	}
}

// sentByProxy counts the log lines of requests that a proxy sent on; they may come a moment after the answer.
func sentByProxy(udp net.PacketConn) (n int) {
	b := make([]byte, 4096)
	for {
		_ = udp.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		size, _, err := udp.ReadFrom(b)
		if err != nil {
			return n
		}
		line := string(b[:size])
		if strings.Contains(line, "up ") || strings.Contains(line, "up=") && !strings.Contains(line, "up=-") {
			n++
		}
	}
}
