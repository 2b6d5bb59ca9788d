namespace n { class A { public: void m(); A(); ~A(); operator bool() const { return 1; } }; }
void n::A::m(){}
template<typename T> T mx(T a) { return a; }
n::A::~A() {}
auto l = [](int a){ return a; };
