// Package cache keeps values for a while.
package cache

import (
	"errors"
	"sync"
	"time"
)

// ErrMissing says that a key isn't there.
var ErrMissing = errors.New("missing")

// Clock tells the time.
type Clock interface {
	Now() time.Time
}

type systemClock struct{}

// Now is the time of the system.
func (systemClock) Now() time.Time { return time.Now() }

// Entry is a value with its end.
type Entry struct {
	Value   []byte
	Expires time.Time
}

// Expired tells whether the entry has ended.
func (e Entry) Expired(now time.Time) bool { return now.After(e.Expires) }

// Cache holds entries.
type Cache struct {
	mu      sync.Mutex
	entries map[string]Entry
	clock   Clock
	ttl     time.Duration
}

// New makes an empty cache.
func New(ttl time.Duration) *Cache {
	return NewWithClock(ttl, systemClock{})
}

// NewWithClock makes one that asks another clock.
func NewWithClock(ttl time.Duration, clock Clock) *Cache {
	return &Cache{entries: make(map[string]Entry), clock: clock, ttl: ttl}
}

// Get finds a value.
func (c *Cache) Get(key string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, ok := c.entries[key]
	if !ok || entry.Expired(c.clock.Now()) {
		return nil, ErrMissing
	}
	return entry.Value, nil
}

// Put keeps a value.
func (c *Cache) Put(key string, value []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries[key] = Entry{Value: value, Expires: c.clock.Now().Add(c.ttl)}
}

// Sweep drops what has ended.
func (c *Cache) Sweep() int {
	dropped := 0
	for key := range c.entries {
		if c.drop(key) {
			dropped++
		}
	}
	return dropped
}

func (c *Cache) drop(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[key].Expired(c.clock.Now()) {
		delete(c.entries, key)
		return true
	}
	return false
}

func run(c *Cache, every time.Duration, stop <-chan struct{}) {
	ticker := time.NewTicker(every)
	for {
		select {
		case <-ticker.C:
			c.Sweep()
		case <-stop:
			return
		}
	}
}
