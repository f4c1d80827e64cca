package org.example.store;

import java.util.List;
import static java.util.Objects.requireNonNull;

/**
 * Keeps entries.
 *
 * @since 1.0
 */
@Service("store")
public final class Store<K extends Comparable<K>> extends Base implements Closeable, Iterable<K> {
    public static final int LIMIT = 100;
    private static final Logger LOG = Logger.of(Store.class);
    private int count;

    /** Makes one. */
    public Store(int size) {
        super(size);
    }

    @Override
    @SuppressWarnings({"unchecked"})
    public <T> List<T> find(final K key, Filter<? super T>... filters) throws StoreException {
        requireNonNull(key);
        return load(key).stream().map(Entry::value).toList();
    }

    private void clear() { Util.wipe(this); }

    abstract static class Inner { abstract void go(); }

    enum Mode { READ, WRITE; boolean writes() { return this == WRITE; } }
}

/** A pair. */
record Entry<K, V>(K key, V value) {
    Entry { requireNonNull(key); }
}

interface Filter<T> {
    int DEFAULT = 1;

    /** Whether it stays. */
    boolean keep(T value);

    default Filter<T> not() { return v -> !keep(v); }
}

@interface Service { String value() default ""; }
