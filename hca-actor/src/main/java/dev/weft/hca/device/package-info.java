/**
 * The device: {@link dev.weft.hca.device.HcaActor} hears packets, doorbells, timers and verbs, {@link dev.weft.hca.device.HcaCore} hands them to
 * the parts below, which it owns; the port and its credits, the scheduler of the link, multicast, control verbs, how an HCA ends (design section 3).
 * Who makes a node uses {@link dev.weft.hca.device.HcaVerbs}; consumers get it as an {@code Hca}.
 *
 * <p>Invariants: every packet is released once and its buffer's credit given back; a queue pair without a credit waits and is not polled;
 * after the end nothing touches registered memory.
 */
package dev.weft.hca.device;
