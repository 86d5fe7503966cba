/**
 * Cables carry packets between two hardware actors. A cable has two ends; each end transmits to the other through a {@link
 * dev.weft.fabric.link.Cable}, where you begin reading. Real cables add no costs; simulated cables charge latency and bandwidth
 * and inject faults. Flow control of a link uses credits per virtual lane (specification volume 1, section 7.9): an end does not
 * transmit a packet without a credit, so no packet is dropped for lack of a buffer.
 *
 * <p>A link starts the same way at both ends. The end gets {@code LinkState(true, lid)}, forgets earlier credits, and grants its
 * own, {@code Credits(lane, n)} for every lane, before its first packet. A switch port sends this {@code LinkState} to an HCA that
 * is attached; the HCA answers with credits and sends no {@code LinkState} itself. A trunk sends its port {@code LinkState(true, 0)}
 * once both directions are connected, and {@code LinkState(false, 0)} when either is lost. The ports at both ends of a trunk must
 * see the link down before they see it up again; otherwise one port would keep credits that the other has forgotten. {@code
 * LinkState(true, lid)} while the link is up only changes the LID.
 */
package dev.weft.fabric.link;
