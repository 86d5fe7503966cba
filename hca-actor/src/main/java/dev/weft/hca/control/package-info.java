/**
 * Runs control verbs on the hardware thread, and fails them when the HCA is closed (design section 6). It knows no particular verb. Begin with {@link
 * dev.weft.hca.control.HardwareCalls}.
 *
 * <p>Invariants: a verb whose caller has stopped waiting never runs; a caller that waits while the HCA is closed gets an exception.
 */
package dev.weft.hca.control;
