package webhook

import "net/http"

// CheckURL is checkURL.
var CheckURL = checkURL

// LastAttempt is lastAttempt.
const LastAttempt = lastAttempt

// Use has the worker send with another client.
func (w *Worker) Use(c *http.Client) { w.client = c }
