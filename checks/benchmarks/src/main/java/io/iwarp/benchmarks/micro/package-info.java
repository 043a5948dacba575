/**
 * What single steps of the stack cost, measured by JMH. Not null-marked: JMH fills the fields before it runs a
 * benchmark, which the null checker does not know.
 */
package io.iwarp.benchmarks.micro;
