package io.iwarp.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The requirements that a test proves, by their ids in {@code docs/conformance.md}. On a class it holds for the class
 * as a whole, for a behaviour that no single method of it proves alone.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Requirement {
    /** Ids such as {@code "MPA-25"}. */
    String[] value();
}
