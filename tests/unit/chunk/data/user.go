package p
import ("fmt"; x "a/b/v2")
// User is
type User struct { a int }
type (
  // A doc
  A struct{}
  B int
)
const ( X = iota
 Y
)
var G = func() { var local = 1 }
// Get it
func (u *User[T]) Get() { var l = 2; fmt.Println(l) }
func (User) X() {}
func main() {}
type If interface { M() error }
