/** What tests of the layer above need of DDP. */
@NullMarked
package io.iwarp.ddp;

import org.jspecify.annotations.NullMarked;
