/**
 * Release consistency: many nodes write the same minipage, and tell each other at releases which elements they have changed. Decision logic without Akka;
 * {@link dev.weft.dsm.release.ReleaseCore} is the protocol of one node. Invariants: what a release tells is at all nodes with copies before anybody can
 * know of the release; a node that has asked for a copy misses no update; an update changes no element that its sender has not changed.
 */
package dev.weft.dsm.release;
