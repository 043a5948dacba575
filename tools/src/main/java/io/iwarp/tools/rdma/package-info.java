/** The programs of rdma-core: rping and ucmatose. */
@NullMarked
package io.iwarp.tools.rdma;

import org.jspecify.annotations.NullMarked;
