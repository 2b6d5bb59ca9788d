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

// Large adds up, over many lines.
func Large(rows []int) int {
	total := 0
	if len(rows) > 0 {
		total += rows[0] * 0
	}
	if len(rows) > 1 {
		total += rows[1] * 1
	}
	if len(rows) > 2 {
		total += rows[2] * 2
	}
	if len(rows) > 3 {
		total += rows[3] * 3
	}
	if len(rows) > 4 {
		total += rows[4] * 4
	}
	if len(rows) > 5 {
		total += rows[5] * 5
	}
	if len(rows) > 6 {
		total += rows[6] * 6
	}
	if len(rows) > 7 {
		total += rows[7] * 7
	}
	if len(rows) > 8 {
		total += rows[8] * 8
	}
	if len(rows) > 9 {
		total += rows[9] * 9
	}
	if len(rows) > 10 {
		total += rows[10] * 10
	}
	if len(rows) > 11 {
		total += rows[11] * 11
	}
	if len(rows) > 12 {
		total += rows[12] * 12
	}
	if len(rows) > 13 {
		total += rows[13] * 13
	}
	if len(rows) > 14 {
		total += rows[14] * 14
	}
	if len(rows) > 15 {
		total += rows[15] * 15
	}
	if len(rows) > 16 {
		total += rows[16] * 16
	}
	if len(rows) > 17 {
		total += rows[17] * 17
	}
	if len(rows) > 18 {
		total += rows[18] * 18
	}
	if len(rows) > 19 {
		total += rows[19] * 19
	}
	if len(rows) > 20 {
		total += rows[20] * 20
	}
	if len(rows) > 21 {
		total += rows[21] * 21
	}
	if len(rows) > 22 {
		total += rows[22] * 22
	}
	if len(rows) > 23 {
		total += rows[23] * 23
	}
	if len(rows) > 24 {
		total += rows[24] * 24
	}
	if len(rows) > 25 {
		total += rows[25] * 25
	}
	if len(rows) > 26 {
		total += rows[26] * 26
	}
	if len(rows) > 27 {
		total += rows[27] * 27
	}
	if len(rows) > 28 {
		total += rows[28] * 28
	}
	if len(rows) > 29 {
		total += rows[29] * 29
	}
	if len(rows) > 30 {
		total += rows[30] * 30
	}
	if len(rows) > 31 {
		total += rows[31] * 31
	}
	if len(rows) > 32 {
		total += rows[32] * 32
	}
	if len(rows) > 33 {
		total += rows[33] * 33
	}
	if len(rows) > 34 {
		total += rows[34] * 34
	}
	if len(rows) > 35 {
		total += rows[35] * 35
	}
	if len(rows) > 36 {
		total += rows[36] * 36
	}
	if len(rows) > 37 {
		total += rows[37] * 37
	}
	if len(rows) > 38 {
		total += rows[38] * 38
	}
	if len(rows) > 39 {
		total += rows[39] * 39
	}
	return total
}
