package io.iwarp.verbs;

/** The result of a claim: a slot to fill, or the {@link Refusal} that gives the reason. */
interface Claim {}
