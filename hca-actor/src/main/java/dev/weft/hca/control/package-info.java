/**
 * The way of a control verb to the hardware thread, and what becomes of it when the HCA is closed (design section 6). Knows no verb.
 *
 * <p>Invariants: a verb that its caller has given up never runs; who waits when the HCA is closed is refused.
 */
package dev.weft.hca.control;
