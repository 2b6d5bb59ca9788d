import a.b.C
/** doc */
class A(val x: Int) { val p: Int = 1; fun m() { val l = 1 } companion object { fun c() {} } }
fun top() = 1
object O { }
typealias T = Int
