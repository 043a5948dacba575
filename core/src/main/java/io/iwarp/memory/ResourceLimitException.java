package io.iwarp.memory;

/**
 * A request would exceed a limit of an {@link IwarpDevice}, of a {@link ProtectionDomain}, or of another shared
 * resource. Nothing was changed. Try again after something was closed.
 */
public final class ResourceLimitException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String limit;
    private final long maximum;

    /**
     * Creates an exception for the limit of a shared resource.
     *
     * @param message what was requested, what is available, and what to do
     * @param limit the name of the limit, as the resource names it
     * @param maximum the value of the limit
     */
    public ResourceLimitException(String message, String limit, long maximum) {
        super(message);
        this.limit = limit;
        this.maximum = maximum;
    }

    /**
     * Returns the name of the limit, for example {@code maxRegions}; for registered memory a
     * {@link MemoryLimit#setting}.
     */
    public String limit() {
        return limit;
    }

    /** Returns the value of the limit. */
    public long max() {
        return maximum;
    }
}
