package io.iwarp.memory;

/**
 * A limit of an {@link IwarpDevice}, or of another resource that several users share, would have been exceeded. Nothing was
 * changed; try again after closing something.
 */
public final class ResourceLimitException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String limit;
    private final long maximum;

    ResourceLimitException(String limit, long maximum, long inUse, long asked) {
        this(
                limit + " of the device is " + maximum + ", of which " + inUse + " are in use and " + asked
                        + " more were asked for; close regions that are not needed any more, or build the device with a higher "
                        + limit,
                limit,
                maximum);
    }

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

    /** The name of the limit, as the builder of the device names it, for example {@code maximumRegions}. */
    public String limit() {
        return limit;
    }

    /** The value of the limit. */
    public long maximum() {
        return maximum;
    }
}
