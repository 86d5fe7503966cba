package dev.weft.fabric.time;

import java.util.random.RandomGenerator;

/**
 * The time, alarms and random numbers for the hardware actors of a fabric. One per fabric instance.
 *
 * @param clock source of time
 * @param timers one-shot alarms
 * @param random source of keys, first PSNs and seeds: {@code SecureRandom} in real time, a stream from the seed in virtual time
 */
public record FabricContext(Clock clock, Timers timers, RandomGenerator random) {}
