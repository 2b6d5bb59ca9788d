// Package limits keeps clients slow.
package limits

import (
	"context"
	str "strings"
)

import "fmt"

// Limit is how many requests a client may make.
const Limit = 100

// Levels of a log.
const (
	// Debug is the lowest.
	Debug Level = iota
	Info
	größe, Warn = "🎉", 2
)

var ErrClosed = fmt.Errorf("closed")

var (
	cache = map[string]int{}
	_     Store = (*Memory)(nil)
	Default, Other *Memory
)

// Level is a level.
type Level int

type (
	// Pair holds two.
	Pair[A, B any] struct {
		First  A
		Second B
	}
	Alias = Pair[int, string]
	Handler func(ctx context.Context, name string) error
)

// Store keeps values.
//
// It is safe for concurrent use.
type Store interface {
	fmt.Stringer
	// Get looks up.
	Get(ctx context.Context, key string) (string, error)
	Set(key, value string)
	~int | ~string
}

// Memory is a Store.
type Memory struct {
	// name of the memory.
	name string `json:"name"`
	mu, other sync.Mutex
	Pair[int, string]
	nested struct{ x, y int }
	fn func(a int) error
}

type Empty struct{}

// Get implements Store.
func (m *Memory) Get(ctx context.Context, key string) (string, error) {
	const local = 1
	var inner = 2
	type localType struct{ a int }
	helper := func(x int) int { return x }
	return fmt.Sprint(local, inner, helper(1)), nil
}

func (Memory) Set(key, value string) {}

func (p Pair[A, B]) Swap() Pair[B, A] { return Pair[B, A]{p.Second, p.First} }

// Map applies f.
//
//go:noinline
func Map[T, U any](items []T, f func(T) U) (out []U) {
	for _, item := range items {
		out = append(out, f(item))
	}
	return out
}

func external(a int) int

func init() {}

func TestMap(t *testing.T) {
	t.Run("is empty", func(t *testing.T) { _ = str.ToUpper("é") })
}
