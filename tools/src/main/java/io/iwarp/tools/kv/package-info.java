/**
 * A key-value cache in the registered memory of a server: clients read it by RDMA Reads and change it by messages and
 * atomics. It knows nothing of the {@code iwarp} command, as a server that embeds it would not.
 */
@NullMarked
package io.iwarp.tools.kv;

import org.jspecify.annotations.NullMarked;
