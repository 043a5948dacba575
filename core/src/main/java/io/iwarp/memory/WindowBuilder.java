package io.iwarp.memory;

import io.iwarp.internal.memory.DefaultWindowBuilder;

/** Sets the rights and the range of a {@link MemoryWindow}, and binds it. A builder belongs to one thread. */
public sealed interface WindowBuilder permits DefaultWindowBuilder {
    /**
     * Sets the tagged offset of the first byte. Default 0.
     *
     * @param baseTaggedOffset any value, unsigned; base plus length of the window must not be more than 2^64
     * @return this builder
     */
    WindowBuilder baseTaggedOffset(long baseTaggedOffset);

    /**
     * Sets the rights of the window. Default none.
     *
     * @param rights each right at most once; replaces the previous rights
     * @return this builder
     * @throws IllegalArgumentException if a right is named twice
     */
    WindowBuilder rights(AccessRight... rights);

    /**
     * Binds the window. Its STag, a new one, is valid from now on. The builder can be used again for another window.
     *
     * @return the window
     * @throws IllegalArgumentException if the tagged offsets would exceed 2^64, or the rights allow changes of
     *     read-only memory
     * @throws RegionClosedException if the region was invalidated or closed, or the stream was closed
     * @throws ResourceLimitException if a limit of the device is reached
     */
    MemoryWindow bind();
}
