/** Holds the requirements of the RFCs against what the tests cite. */
@NullMarked
package io.iwarp.requirements;

import org.jspecify.annotations.NullMarked;
