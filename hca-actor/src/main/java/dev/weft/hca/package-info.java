/**
 * The host channel adapter (HCA) and the services built on it. A package depends only on packages in its own row or below it; ArchUnit checks that
 * (docs/internals/decisions/0010). Begin with {@code verbs}, then {@code node}.
 *
 * <pre>
 * node, cm, messaging, sync, registration   nodes, connections, message buffers, locks, registration strategies: built on verbs
 * device                                    HcaActor, the port, the link scheduler, control verbs; owns the parts below
 * transport                                 RC, UC and UD: queue pairs, requesters, responders
 * completion          memory                completion rings, arming, notification; regions, windows, keys, access to memory
 * control                                   runs control verbs on the hardware thread
 * verbs                                     the consumer's interface
 * netvm                                     a host's virtual memory, and the HCA's side of it
 * </pre>
 *
 * <p>This package itself has no classes.
 */
package dev.weft.hca;
