/**
 * The two clocks: real time and deterministic virtual time. The same actors run in both, because they all take the time from
 * a {@link dev.weft.fabric.time.Clock}, delays from {@link dev.weft.fabric.time.Timers} and random numbers from a {@link
 * dev.weft.fabric.time.FabricContext}. For virtual time, begin with {@link dev.weft.fabric.time.VirtualSystem}.
 */
package dev.weft.fabric.time;
