package io.iwarp.metrics;

/** The sampling of request latencies: one in N requests is measured, which costs two reads of the clock. Immutable. */
public final class LatencySampling {
    /** Measures each request. */
    public static final LatencySampling EVERY_REQUEST = new LatencySampling(1);

    /** Measures one in 16 requests. */
    public static final LatencySampling DEFAULT = new LatencySampling(16);

    private static final int MAX_REQUESTS = 1 << 20;

    /**
     * The golden ratio (Fibonacci hashing). Its multiples are spread evenly, also those of every second or sixteenth
     * position, so each kind of request is sampled equally if requests of several kinds alternate in a fixed order.
     */
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private final long mask;

    private LatencySampling(int requests) {
        mask = requests - 1L;
    }

    /**
     * Measures one in this many requests.
     *
     * @param requests a power of two, 1 to 1,048,576
     * @throws IllegalArgumentException if {@code requests} is invalid
     */
    public static LatencySampling oneIn(int requests) {
        if (requests < 1 || requests > MAX_REQUESTS || Integer.bitCount(requests) != 1) {
            throw new IllegalArgumentException(
                    "one in " + requests + " requests: choose a power of two within 1 to " + MAX_REQUESTS);
        }
        return new LatencySampling(requests);
    }

    /**
     * Returns whether to measure a request.
     *
     * @param position the sequence number of the request on its connection
     */
    public boolean includes(long position) {
        return (((position * SPREAD) >>> Integer.SIZE) & mask) == 0;
    }

    @Override
    public String toString() {
        return "one in " + (mask + 1) + " requests";
    }
}
