package dev.weft.lab.trials.dsm.apps;

/**
 * The result of one check.
 *
 * @param name what should hold
 * @param detail the result and the expected value
 */
public record Check(String name, boolean passed, String detail) {}
