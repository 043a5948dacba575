package io.iwarp.memory;

import io.iwarp.IwarpException;

/**
 * A request would exceed a limit of an {@link IwarpDevice}, of a {@link ProtectionDomain}, or of another shared
 * resource. The request had no effect and can be retried after other resources are closed.
 */
public final class ResourceLimitException extends IwarpException {
    private static final long serialVersionUID = 1L;

    private final String setting;
    private final long limit;

    /**
     * Creates an exception for the limit of a shared resource.
     *
     * @param message what was requested, what is available, and what to do
     * @param setting the name of the limit, as the resource names it
     * @param limit the value of the limit
     */
    public ResourceLimitException(String message, String setting, long limit) {
        super(message, null);
        this.setting = setting;
        this.limit = limit;
    }

    /**
     * Returns the name of the limit, for example {@code maxRegions}; for registered memory a
     * {@link MemoryLimit#setting}.
     */
    public String setting() {
        return setting;
    }

    /** Returns the value of the limit. */
    public long limit() {
        return limit;
    }
}
