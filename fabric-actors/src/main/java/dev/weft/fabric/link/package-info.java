/**
 * Cables: what carries packets between two hardware actors. A cable has two ends; each end transmits towards the other.
 * Real cables add nothing; simulated ones charge latency and bandwidth and inject faults (design section 5). Link-level
 * flow control is credit-based per virtual lane (specification volume 1, section 7.9): nobody transmits a packet
 * without a credit, so nothing is dropped for want of a buffer.
 *
 * <p>How a link starts, at both ends: {@code LinkState(true, lid)} comes in; the end forgets earlier credits and grants its
 * own, {@code Credits(lane, n)} for every lane, before its first packet. A switch port tells an HCA so when it is attached; an
 * HCA answers with credits and sends no {@code LinkState} itself. A trunk tells its port {@code LinkState(true, 0)} once both
 * directions are connected, and {@code LinkState(false, 0)} when either is lost; the ports at both of its ends must see the
 * link down before they see it up again, or one of them would keep credits that the other has forgotten. {@code
 * LinkState(true, lid)} while the link is up changes the LID and nothing else.
 */
package dev.weft.fabric.link;
