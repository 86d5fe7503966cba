/**
 * Subnet management: one manager per cluster assigns LIDs and numbers of JVMs and publishes who is there; an agent in every
 * JVM registers its nodes and applies what is published to the local switch, the trunks and the directory. Source:
 * InfiniBand Architecture Specification volume 1, chapter 14 (subnet management); design section 3. Control plane only.
 *
 * <p>Invariants: a LID and a number belong to one JVM at a time, and keep to it while it is a member, also across a fail-over
 * of the manager; versions of the view only grow; a view is applied as a whole.
 */
package dev.weft.fabric.subnet;
