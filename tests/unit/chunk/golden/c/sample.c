/* Licence. */
#include <stdio.h>
#include "limits.h"

/** How many requests. */
#define LIMIT 100
#define GUARD
/* Squares. */
#define SQUARE(x) ((x) * (x))
#define LONG_ONE(a, b) \
    do {               \
        (a)++;         \
    } while (b)

/** A point. */
typedef struct point {
    /** To the right. */
    int x, y;
    const char *name; /* größe 🎉 */
    int (*compare)(const void *, const void *);
    unsigned flags : 3;
    int grid[3][4];
    union { int i; float f; } value;
} Point;

struct node {
    struct node *next;
};

enum level { LOW, HIGH = 2 };
typedef enum { RED, GREEN } Color;
typedef unsigned long size_type;
typedef int (*callback)(void *data, int count);
typedef struct opaque opaque_t, *opaque_ptr;
union bits { int i; float f; };

static const int TABLE[] = {1, 2, 3};
int counter = 0, *pointer;
extern char **environ;

/** Declared here. */
int parse(const char *text);
static struct node *find(struct node *head, int (*match)(struct node *));
void (*signal(int sig, void (*handler)(int)))(int);

/**
 * Parses a number.
 * @param text what to parse
 */
int parse(const char *text)
{
    int local = 0;
    struct local_point { int x; } p;
    extern int other(int);
    for (; *text; text++) local = local * 10 + *text - '0';
    return local;
}

// Finds one.
static inline struct node *
find(struct node *head, int (*match)(struct node *))
{
    return head;
}

__attribute__((noreturn)) void die(void) { for (;;) ; }

const char **names(void) { return 0; }

#ifdef _WIN32
int halves(int a) {
    return a;
}
#else
int halves(int a) { return a + 1; }
#endif

static int
old_style(a, b)
    int a;
    char *b;
{
    return a;
}

void (*make(int kind))(int) { return 0; }

struct node *head = &(struct node){ 0 };
