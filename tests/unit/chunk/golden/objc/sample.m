// Copyright of nobody.
#import <Foundation/Foundation.h>
#import "Tree.h"
@import UIKit;

#define MAX_LEAVES 100
#define SQUARE(x) ((x) * (x))

static const NSInteger kDepth = 3;

@class Leaf;

/// Kinds of trees, "Bäume".
typedef NS_ENUM(NSInteger, TreeKind) {
    TreeKindOak,
    TreeKindFir,
};

typedef struct {
    double x;
    double y;
} Spot;

struct Range2 { int from; int to; };

enum Season { Spring, Summer };

/**
 * What grows.
 */
@protocol Growing <NSObject>
@required
- (void)growBy:(double)metres;
@optional
@property (nonatomic, readonly) double height;
@end

/// A tree with leaves.
@interface Tree : NSObject <Growing>
/// How it is called.
@property (nonatomic, copy) NSString *name;
@property (nonatomic) NSUInteger leaves;
/// Makes a tree.
- (instancetype)initWithName:(NSString *)name leaves:(NSUInteger)leaves;
+ (Tree *)oak;
@end

@interface Tree (Private)
- (void)shedLeaves;
@end

@implementation Tree {
    double _height;
}

@synthesize name = _name;

- (instancetype)initWithName:(NSString *)name leaves:(NSUInteger)leaves {
    self = [super init];
    if (self) { _name = [name copy]; }
    return self;
}

// One oak.
+ (Tree *)oak { return [[Tree alloc] initWithName:@"Eiche 🌳" leaves:3]; }

- (void)growBy:(double)metres
{
    void (^block)(void) = ^{ self->_height += metres; };
    block();
}

@end

// Sum of all heights.
double SumOfHeights(NSArray<Tree *> *trees) {
    double sum = 0;
    return sum;
}

static void helper(void);

int main(int argc, const char *argv[]) {
    @autoreleasepool { NSLog(@"é"); }
    return 0;
}
