/**
 * Cables: what carries packets between two hardware actors. A cable has two ends; each end transmits towards the other.
 * Real cables add nothing; simulated ones charge latency and bandwidth and inject faults (design section 5). Link-level
 * flow control is credit-based per virtual lane (specification volume 1, section 7.9): nobody transmits a packet
 * without a credit, so nothing is dropped for want of a buffer.
 */
package dev.weft.fabric.link;
