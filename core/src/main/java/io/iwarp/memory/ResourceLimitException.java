package io.iwarp.memory;

/**
 * A limit of an {@link IwarpDevice}, of a {@link ProtectionDomain}, or of another resource that several users share, would have been exceeded. Nothing was
 * changed; try again after closing something.
 */
public final class ResourceLimitException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String limit;
    private final long maximum;

    /**
     * An exception for the limit of a shared resource.
     *
     * @param message what was asked for, what there is, and what to do about it
     * @param limit the name of the limit, as the resource names it
     * @param maximum the value of the limit
     */
    public ResourceLimitException(String message, String limit, long maximum) {
        super(message);
        this.limit = limit;
        this.maximum = maximum;
    }

    /** The name of the limit, as the resource names it, for example {@code maximumRegions}; for registered memory a
     * {@link MemoryLimit#setting}. */
    public String limit() {
        return limit;
    }

    /** The value of the limit. */
    public long maximum() {
        return maximum;
    }
}
