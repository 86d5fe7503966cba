package dev.weft.fabric.time;

import java.util.random.RandomGenerator;

/**
 * What a hardware actor may use of the world outside it: time, alarms, randomness. One per fabric instance.
 *
 * @param clock source of time
 * @param timers one-shot alarms
 * @param random source of keys, first PSNs and seeds: {@code SecureRandom} in real time, the seed's stream in virtual
 */
public record FabricContext(Clock clock, Timers timers, RandomGenerator random) {}
