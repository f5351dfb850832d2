// Package reply holds the form in which the read side hands an answer to the routes.
package reply

// Reply is a finished JSON body. It is shared between requests: nobody modifies it.
type Reply struct {
	Body []byte
	ETag []byte // weak validator, quotes and W/ included
}
