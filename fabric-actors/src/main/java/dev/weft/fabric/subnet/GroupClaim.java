package dev.weft.fabric.subnet;

/**
 * A multicast group that nodes of a JVM have joined, as the JVM registers it.
 *
 * @param lid its multicast LID, 0 if the JVM does not know it yet
 * @param receives whether any of these nodes receives
 */
public record GroupClaim(String name, int lid, boolean receives) {}
