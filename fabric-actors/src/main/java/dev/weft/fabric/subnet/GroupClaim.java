package dev.weft.fabric.subnet;

/**
 * A multicast group that nodes of a JVM have joined.
 *
 * @param lid the multicast LID it has, 0 if the JVM knows none yet
 * @param receives whether any of them receives
 */
public record GroupClaim(String name, int lid, boolean receives) {}
