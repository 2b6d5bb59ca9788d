/* Licence. */
package com.example.limits;

import java.util.*;
import static java.util.Map.entry;
import java.util.function.Function;

/**
 * A bucket that leaks.
 *
 * @param <T> what it holds
 */
@Entity
@Table(name = "buckets")
public final class Bucket<T extends Comparable<T>> extends Base implements Store<T>, AutoCloseable {
    /** How many fit. */
    public static final int LIMIT = 100;
    private final List<T> items = new ArrayList<>();
    protected int größe = 1, other = 2;
    private static final Map<String, Function<String, String>> HANDLERS = Map.of("🎉", s -> s);

    static {
        Locale.setDefault(Locale.ROOT);
    }

    /** Makes one. */
    public Bucket(int size) { super(size); }

    @Inject
    Bucket() { this(LIMIT); }

    /**
     * Takes one.
     */
    @Override
    @SuppressWarnings({"unchecked", "rawtypes"})
    public synchronized <R> Optional<R> take(final Function<? super T, R> map, int... counts)
            throws InterruptedException {
        Runnable anonymous = new Runnable() {
            @Override public void run() { go(); }
            void go() {}
        };
        class Local { void inner() {} }
        Function<T, R> lambda = x -> map.apply(x);
        return items.stream().findFirst().map(lambda);
    }

    // A plain comment.
    abstract int missing();

    public static class Node<K> { K key; }

    class Inner { }

    enum Level {
        /** The lowest. */
        LOW(1) { @Override int weight() { return 0; } },
        @Deprecated HIGH(2);

        private final int value;
        Level(int value) { this.value = value; }
        int weight() { return value; }
    }

    public record Pair<A, B>(A first, B second) implements Comparable<Pair<A, B>> {
        static int count;
        public Pair { Objects.requireNonNull(first); }
        public int compareTo(Pair<A, B> o) { return 0; }
    }

    @interface Marker {
        String value() default "";
        int[] counts() default {1, 2};
    }

    @Override public void close() {}
}

/** Keeps values. */
sealed interface Store<T> permits Bucket {
    int SIZE = 3;
    T get(String key);
    default boolean isEmpty() { return true; }
    static <T> Store<T> of() { return null; }
}

class BucketTest {
    @Test
    @DisplayName("takes one")
    void takesOne() { assertEquals(1, 1); }
}
