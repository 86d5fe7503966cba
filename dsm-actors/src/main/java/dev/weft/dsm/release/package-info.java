/**
 * Release consistency: many nodes write the same minipage, and at releases tell each other which elements they have changed. Decision logic without
 * Akka. Begin with {@link dev.weft.dsm.release.ReleaseCore}, the protocol of one node.
 *
 * <p>Invariants: the changes of a release are at all nodes with copies before any node can know of the release. A node that has asked for a copy
 * misses no update. An update changes no element that its sender has not changed.
 */
package dev.weft.dsm.release;
