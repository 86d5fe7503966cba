package dev.weft.pager.client;

/**
 * A memory server that a device uses.
 *
 * @param node name of its node
 * @param service name of the service there
 * @param areaBytes memory wanted of it
 */
public record ServerSpec(String node, String service, long areaBytes) {}
