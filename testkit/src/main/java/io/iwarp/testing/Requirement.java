package io.iwarp.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The requirements that a test proves, by their ids in {@code requirements.tsv} of the conformance suite. On a class it
 * names requirements that all methods together prove.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Requirement {
    /** Ids such as {@code "MPA-25"}. */
    String[] value();
}
