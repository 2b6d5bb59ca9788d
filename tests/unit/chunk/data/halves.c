#include <stdio.h>
#define M 1
#define F(x) x
typedef struct S { int a; } S;
typedef int (*fp)(int);
struct Q { int z; };
static int proto(int a);
/* doc */
int *f(int a) { struct Q q; return 0; }
#ifdef A
void h(int a){
#else
void h(long a){
#endif
 x(); }
void g(void){}
