package testkit

import "net/http"

// CutAfter is an answer whose connection is dropped after some bytes of the body.
func CutAfter(w http.ResponseWriter, bytes int) http.ResponseWriter { return &cutWriter{w, bytes} }

type cutWriter struct {
	http.ResponseWriter
	left int
}

func (c *cutWriter) Write(p []byte) (int, error) {
	if len(p) <= c.left {
		c.left -= len(p)
		return c.ResponseWriter.Write(p)
	}
	if _, err := c.ResponseWriter.Write(p[:c.left]); err != nil {
		return 0, err
	}
	c.ResponseWriter.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}
