/** What tests of the layers above need of MPA. */
@NullMarked
package io.iwarp.mpa;

import org.jspecify.annotations.NullMarked;
