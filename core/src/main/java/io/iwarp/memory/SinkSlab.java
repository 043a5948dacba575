package io.iwarp.memory;

/**
 * Memory of which a {@link SinkPool} lends parts.
 *
 * @param region the memory
 * @param units which units of it are free, guarded by the lock of the pool
 */
record SinkSlab(MemoryRegion region, BuddyTree units) {}
