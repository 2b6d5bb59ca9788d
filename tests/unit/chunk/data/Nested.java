package a; import a.b.*; import static a.B.c;
/** doc */
@Ann public class A extends B { private int f; A() {} static class In {} record R(int a) {} enum E { X { void q(){} }, Y } @interface An { int v(); } void m() { new Runnable() { public void run(){} }; } }
