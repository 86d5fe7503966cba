/**
 * The host channel adapter and what stands on it, in rooms; arrows point down, and ArchUnit holds them (docs/internals/decisions/0010).
 *
 * <pre>
 * node, cm, messaging, sync, registration   who connects, who lends buffers, locks from atomics: they know verbs
 * device                                    HcaActor, the port, the scheduler of its link, control verbs; owns what is below
 * transport                                 RC, UC and UD: queue pairs, requesters, responders
 * completion          memory                rings, arming, interrupts; regions, windows, keys, how memory is touched
 * control                                   the way of a verb to the hardware thread
 * verbs                                     what a consumer holds
 * netvm                                     a host's virtual memory, and what an HCA knows of it
 * </pre>
 *
 * <p>No class is in this package itself.
 */
package dev.weft.hca;
