/**
 * Subnet management, a part of the control plane. One subnet manager per cluster assigns LIDs and JVM numbers, and publishes
 * the view. An agent in every JVM registers its nodes and applies the view to the local switch, the trunks and the directory.
 * Begin with {@link dev.weft.fabric.subnet.FabricAgent} and {@link dev.weft.fabric.subnet.SubnetManagerActor}. Source:
 * InfiniBand Architecture Specification volume 1, chapter 14 (subnet management).
 *
 * <p>Invariants: a LID and a number belong to one JVM at a time, as long as it is a member, also across a fail-over of the
 * manager; versions of the view only grow; a view is applied as a whole.
 */
package dev.weft.fabric.subnet;
