// Licence.
library limits;

import 'dart:async';
import 'package:http/http.dart' as http show Client;
export 'src/base.dart';
part 'limits.g.dart';

/// How many.
const int limit = 100;
final String emoji = '🎉', other = 'é';
var counter = 0;
late final int later;

/// A name.
typedef Name = String;
typedef Handler<T> = void Function(T value);
typedef int Old(int a);

/// A bucket
/// that leaks.
@immutable
abstract class Bucket<T extends Comparable<T>> extends Base with Loggable implements Store<T> {
  /// How many fit.
  static const int size = 3;
  final List<T> _items = [];
  int? count, total;

  /// Makes one.
  const Bucket(this.count, {required this.total});
  Bucket.named(int x) : this(x, total: 1);
  factory Bucket.of(String text) => Bucket.named(1);

  /// Whether it is full.
  bool get full => _items.isEmpty;
  set full(bool value) {
    count = value ? 0 : 1;
  }

  /**
   * Takes one.
   */
  @override
  @Deprecated('no')
  Future<R?> take<R>(R Function(T) map, {int count = 1}) async {
    int helper(int x) => x + 1;
    final lambda = (int x) => helper(x);
    return null;
  }

  static Bucket make() => throw 1;
  void missing();
  Bucket operator +(Bucket other) => this;
  external void native();
  Stream<int> generate() async* { yield 1; }
}

/// Logs.
mixin Loggable on Base {
  void log(String m) {}
}

enum Level {
  /// The lowest.
  low(1),
  high(2);

  const Level(this.value);
  final int value;
  String get label => name;
}

enum Simple { a, b }

/// Extends.
extension StringExtras on String {
  String shout() => toUpperCase();
}
extension type Id(int value) {}

sealed class Shape {}
class Circle = Base with Loggable;

/// Adds.
int add(int a, [int b = 2]) => a + b;
int get top => 1;

void main() {
  print('🎉');
  group('Bucket', () {
    test('takes one', () {
      expect(1, 1);
    });
  });
}
