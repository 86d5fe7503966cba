/**
 * The leaf switch: one per JVM, a port actor for each cable, whatever is at the cable's far end (an HCA, a trunk to another
 * JVM, a port of another switch). Source: InfiniBand Architecture Specification volume 1, chapters 7.6 to 7.9 (virtual lanes,
 * arbitration, credits) and 18.2 (switches); Kernel DSM paper, section 2.
 *
 * <p>Threads: the switch and all its ports run on one thread, the hardware dispatcher's. That is why ports may read the
 * forwarding table and give back each other's input buffers without a message.
 *
 * <p>Invariants, for each cable and virtual lane: credits that the far end holds or has in flight + packets of that cable
 * inside the switch + credits freed but not yet returned = {@code input-buffer-packets}. A packet that enters the switch is
 * either transmitted once or discarded, released and counted once; either way its buffer is given back.
 */
package dev.weft.fabric.switching;
