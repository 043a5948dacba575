/** DDP (RFC 5041): segmentation, direct placement and untagged queues. */
@NullMarked
package io.iwarp.ddp;

import org.jspecify.annotations.NullMarked;
