/** What the stack is compared with: plain Netty, as its users write it without RDMA. */
@NullMarked
package io.iwarp.benchmarks;

import org.jspecify.annotations.NullMarked;
