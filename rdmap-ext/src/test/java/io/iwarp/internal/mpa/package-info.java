/** What tests of the layers above need of MPA. */
@NullMarked
package io.iwarp.internal.mpa;

import org.jspecify.annotations.NullMarked;
