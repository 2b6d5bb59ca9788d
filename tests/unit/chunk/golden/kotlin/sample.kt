@file:JvmName("Limits")

package com.example.limits

import kotlin.collections.List
import java.util.UUID as Id

/** How many. */
const val LIMIT = 100
val größe: String = "🎉"
var counter: Int = 0
    private set
val String.shout: String get() = uppercase()
private val lazyOne by lazy { 1 }
val (first, second) = 1 to 2

/** A name. */
typealias Name = String
typealias Handler<T> = (T) -> Unit

/**
 * A bucket that leaks.
 */
@Entity
open class Bucket<T : Comparable<T>>(
    private val size: Int = LIMIT,
    var name: String,
) : Base(size), Store<T> {
    /** What it holds. */
    private val items = mutableListOf<T>()
    lateinit var later: String
    override val full: Boolean
        get() = size == 0

    init {
        println("made")
    }

    /** Another way. */
    constructor(name: String) : this(1, name)

    /**
     * Takes one.
     */
    @Throws(IOException::class)
    suspend fun <R> take(count: Int = 1, map: (T) -> R): R? where R : Any {
        val local = 1
        fun helper(x: Int) = x + local
        val lambda = { x: Int -> helper(x) }
        val anonymous = object : Runnable { override fun run() {} }
        return null
    }

    operator fun plus(other: Bucket<T>): Bucket<T> = this
    infix fun `with spaces`(x: Int) {}
    abstract fun missing()

    companion object {
        const val MAX = 3
        fun of(): Bucket<String> = Bucket("é")
    }
    companion object Named : Factory
    inner class Inner(val y: Int)

    class Nested {
        val x = 1
    }

    object Single { fun go() {} }
}

/** Keeps. */
interface Store<T> {
    val count: Int
    fun get(key: String): T?
    fun size(): Int = 0
}

fun interface Mapper { fun map(x: Int): Int }

enum class Level(val value: Int) {
    /** The lowest. */
    LOW(1) { override fun label() = "low" },
    HIGH(2);

    abstract fun label(): String
}

sealed class Result<out T> {
    data class Ok<T>(val value: T) : Result<T>()
    data object Failed : Result<Nothing>()
}

annotation class Marker(val why: String)

@JvmInline value class Money(val cents: Long)

object Registry {
    val all = listOf(1)
    fun register(x: Int) = Unit
}

/** Extends. */
fun <T> List<T>.second(): T = this[1]
inline fun <reified T> make(): T? = null
fun Bucket<*>.print() {
    println(this)
}

class BucketTest {
    @Test
    fun `takes one`() { assertEquals(1, 1) }
}
