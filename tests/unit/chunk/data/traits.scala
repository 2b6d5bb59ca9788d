/** d */
class A { def m = 1; val v = 2 }
object O { def x() = { val y = 1 } }
trait T
case class B(a: Int)
