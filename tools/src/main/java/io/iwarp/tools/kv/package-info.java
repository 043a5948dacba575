/**
 * A key-value cache in the registered memory of a server: clients read it by RDMA Reads and change it by messages and
 * atomics. It does not depend on the {@code iwarp} command, so that servers can embed it.
 */
@NullMarked
package io.iwarp.tools.kv;

import org.jspecify.annotations.NullMarked;
