/// doc
class A { A(); A.named(); int m() { return 1; } static void s() {} get x => 1; }
void f() {}
enum E { a }
typedef T = int;
