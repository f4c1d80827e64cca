// Package pool keeps connections.
package pool

import (
	"fmt"
	"sync"
)

// MaxIdle is how many wait.
const MaxIdle = 10

const (
	// StateOpen is open.
	StateOpen State = iota
	stateClosed
)

var ErrClosed = fmt.Errorf("closed")

var (
	registry = map[string]*Pool{}
)

// State is where a connection stands.
type State int

type Alias = State

// Pool keeps them.
type Pool struct {
	mu   sync.Mutex
	idle []*Conn
}

type (
	// Dialer opens one.
	Dialer interface {
		Dial(addr string) (*Conn, error)
		fmt.Stringer
	}

	Conn struct{ id int }

	Handler func(c *Conn) error
)

type Set[K comparable] map[K]struct{}

// Get takes one out.
func (p *Pool) Get(d Dialer) (conn *Conn, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	const inner = 3
	go func() { p.fill(inner) }()
	return d.Dial("x")
}

func (p Pool) fill(n int) {}

func (s Set[K]) Has(k K) bool { _, ok := s[k]; return ok }

// New makes a pool.
func New[T any](
	size int, // how many
	opts ...Option,
) *Pool {
	return &Pool{idle: make([]*Conn, size)}
}
