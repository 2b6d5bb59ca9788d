// Licence.
package com.example.limits

import scala.collection.mutable
import java.util.{List as JList, *}

/** How many. */
val Limit = 100
var größe = "🎉"
val (first, second) = (1, 2)
lazy val later: Int = 3

/** A name. */
type Name = String
type Handler[T] = T => Unit
opaque type Id = Long

/**
 * A bucket that leaks.
 */
@deprecated("no", "1")
final case class Bucket[+T <: AnyRef](size: Int = 1, private val name: String)(using ord: Ordering[T])
    extends Base(size) with Store[T] {
  /** What it holds. */
  private val items = mutable.Buffer.empty[T]
  var count: Int = 0
  def this(name: String) = this(1, name)

  /** Takes one. */
  @tailrec
  override def take[R](count: Int = 1)(map: T => R): Option[R] = {
    val local = 1
    def helper(x: Int): Int = x + local
    val lambda = (x: Int) => helper(x)
    class Local { def go() = 1 }
    None
  }

  def full: Boolean = size == 0
  def +(other: Bucket[T]): Bucket[T] = this
  def `with spaces`(x: Int) = x
  def unary_! : Boolean = true
  implicit def toInt(b: Bucket[T]): Int = b.size
  type Item = T
  class Inner
  object Single { def go(): Unit = () }
}

object Bucket {
  val Max = 3
  def apply(): Bucket[String] = new Bucket("é")
  implicit val ordering: Ordering[Int] = null
}

/** Keeps. */
sealed trait Store[T] {
  type Key
  val size: Int
  def get(key: String): Option[T]
  def isEmpty = true
}

abstract class Base(n: Int) { def missing(): Unit }

enum Level(val value: Int) {
  /** The lowest. */
  case Low extends Level(1)
  case High, Higher
  def label = "x"
}

package object util { def helper() = 1 }

/** Extends. */
extension (b: Bucket[String])
  def second: String = "2"
  def third: String = "3"

given intOrd: Ordering[Int] with
  def compare(a: Int, b: Int) = a - b

object Indented:
  def one: Int =
    val local = 1
    local
  def two(x: Int): Int = x match
    case 1 => 2
    case _ => 3

@main def run(args: String*): Unit = println("🎉")

class BucketSpec extends AnyFlatSpec {
  "A Bucket" should "take one" in { assert(true) }
  test("stops") { assert(true) }
  describe("full") { it("is full") { assert(true) } }
}
