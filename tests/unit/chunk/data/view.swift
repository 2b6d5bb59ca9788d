/// doc
struct S { var p: Int = 1; init() {}; func m() { let l = 1 } }
protocol P { func q() }
extension S { func e() {} }
enum E { case a }
