/**
 * The two clocks (design section 5). Everything in the fabric and in the protocols takes the time from a {@link
 * dev.weft.fabric.time.Clock}, delays from {@link dev.weft.fabric.time.Timers} and random numbers from a seeded stream,
 * so that the same actors run in real time and in deterministic virtual time.
 */
package dev.weft.fabric.time;
