/**
 * The HCA as a device (design section 3). {@link dev.weft.hca.device.HcaActor} receives packets, doorbells, timers and verbs; {@link
 * dev.weft.hca.device.PacketEngine} passes them to its parts, such as the port, the link scheduler and the queues. A node creates a {@link
 * dev.weft.hca.device.ControlVerbs}; consumers get it as an {@code Hca}. Begin with HcaActor and PacketEngine.
 *
 * <p>Invariants: every packet is released once and its buffer's credit returned; a queue pair without a credit waits and is not polled;
 * after the end nothing touches registered memory.
 */
package dev.weft.hca.device;
