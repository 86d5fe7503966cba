package dev.weft.dsm.apps;

/**
 * One thing that was verified.
 *
 * @param name what should hold
 * @param detail what was found, and what was expected
 */
public record Check(String name, boolean passed, String detail) {}
