/**
 * The leaf switch: one per JVM, with a port actor for each cable. At a cable's far end is an HCA, a trunk to another JVM, or a
 * port of another switch. Begin with {@link dev.weft.fabric.switching.SwitchActor}. Source: InfiniBand Architecture
 * Specification volume 1, chapters 7.6 to 7.9 (virtual lanes, arbitration, credits) and 18.2 (switches); Kernel DSM paper,
 * section 2.
 *
 * <p>Threads: the switch and all its ports run on the hardware thread. So ports may read the forwarding table and free each
 * other's input buffers without a message.
 *
 * <p>Invariants, for each cable and virtual lane: credits that the far end holds or has in flight + packets of that cable
 * inside the switch + credits freed but not yet returned = {@code input-buffer-packets}. A packet that enters the switch is
 * either transmitted once, or discarded, released and counted once; its buffer is freed in both cases.
 */
package dev.weft.fabric.switching;
